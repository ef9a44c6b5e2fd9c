import { Gateway, WorkloadInstance, type WriteBodyOf } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { waitForObject } from "../resources/wait-for-object.ts";
import { instanceName, instanceUsage } from "../workloads/instance-name.ts";

export function addExposeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("expose")
    .usage(`${instanceUsage} --host HOST [FLAGS]`)
    .description(
      "Give a workload instance host names under which it answers from outside of its clusters, by making a Gateway.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .requiredOption("--host <HOST...>", "Host names, such as shop.example.com or *.example.com")
    .option("--service <SERVICE>", "The Service that answers; the name of the instance if left out")
    .option("--port <PORT>", "The port of the Service", parsePort, 80)
    .option("--path <PATH>", "The beginning of the paths that it answers", "/")
    .option("--name <NAME>", "The name of the Gateway; that of the instance if left out")
    .option("--cluster <CLUSTER...>", "Only in these clusters")
    .option("--class <CLASS>", "The GatewayClass; that of the cluster if left out")
    .option("--internal", "Use the entry for networks of your own", false)
    .option("--issuer <ISSUER>", "The ClusterIssuer of cert-manager that issues the certificate")
    .addOption(
      new Option("--tls <MODE>", "How connections are encrypted")
        .choices(["terminate", "passthrough", "none"])
        .default("terminate"),
    )
    .option("--wait", "Wait until the hosts answer, and say what is in the way", false)
    .addOption(timeoutOption("How long to wait", "5m"))
    .action((argument: string, options: ExposeOptions) => expose(context, instanceName(argument), options));
  addExamples(command, [
    { does: "Answer under a host name", run: "bowline expose wi/shop --host shop.example.com --wait" },
    {
      does: "Lead a path to another Service of it",
      run: "bowline expose wi/shop --name shop-api --host shop.example.com --path /api --service api --port 8080",
    },
    {
      does: "Without encryption, for networks of your own",
      run: "bowline expose wi/shop --host shop.internal.example.com --tls none --internal",
    },
  ]);
}

interface ExposeOptions {
  readonly host: string[];
  readonly service?: string;
  readonly port: number;
  readonly path: string;
  readonly name?: string;
  readonly cluster?: string[];
  readonly class?: string;
  readonly internal: boolean;
  readonly issuer?: string;
  readonly tls: "terminate" | "passthrough" | "none";
  readonly wait: boolean;
  readonly timeout: number;
}

async function expose(context: CommandContext, instance: string, options: ExposeOptions): Promise<void> {
  const { terminal, signal, clock } = context;
  const client = await context.client();
  // A Gateway may be there before its instance; whoever types a name means one that is there.
  await client.get(WorkloadInstance, instance, { signal });
  const { name = instance } = options;
  await client.create(Gateway, gatewayBody(instance, name, options), { signal });
  terminal.out(`gateway/${name} created\n`);
  if (!options.wait) {
    terminal.error(`See how far it is: bowline wait gateway/${name} --for condition=Ready --timeout 5m\n`);
    return;
  }
  await waitForObject(
    { kind: Gateway, name },
    { for: "condition", type: "Ready", status: "True" },
    {
      client,
      clock,
      signal,
      timeoutMs: options.timeout,
      onState: (state) => terminal.error(`Waiting for gateway/${name}: ${printableLine(state)}\n`),
    },
  );
  const { status } = await client.get(Gateway, name, { signal });
  const [first] = status.clusters;
  terminal.out(`gateway/${name} is ready: ${printableLine(first?.message ?? "")}\n`);
}

function gatewayBody(instance: string, name: string, options: ExposeOptions): WriteBodyOf<typeof Gateway> {
  const { service = instance, port, path, cluster, issuer } = options;
  return {
    metadata: { name },
    spec: {
      instance,
      hosts: options.host,
      rules: [{ path, service, port }],
      tls: { mode: options.tls, ...(issuer === undefined ? {} : { issuer }) },
      visibility: options.internal ? "internal" : "public",
      ...(cluster === undefined ? {} : { clusters: cluster }),
      ...(options.class === undefined ? {} : { class: options.class }),
    },
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/u.test(text) && port >= 1 && port <= 65_535) return port;
  throw new BowlineError(
    "InvalidArgument",
    `--port must be a number from 1 to 65535, not «${text.slice(0, 64)}».`,
  );
}
