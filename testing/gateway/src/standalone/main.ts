/** `npm run gateway-cluster`: a simulated cluster that serves hosts, for a terminal, until Ctrl-C. */
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { BowlineError, Shutdown, systemClock } from "@bowline/core";
import { attachProcessSignals } from "@bowline/program/process-signals";

import { gatewayDefinitionsFolder } from "../definitions/gateway-definitions.ts";
import { GatewayCluster } from "./gateway-cluster.ts";

const usage = `Starts a simulated Kubernetes cluster with the Gateway API, whose Gateways nginx serves at an address of this machine.
Browsers use the ports 80 and 443, which only root can have.

Usage: npm run gateway-cluster -- NAME [options]

  --address IP         Where its Gateways are reached (default 127.0.0.2)
  --definitions PATH   The Gateway API as it is released: standard-install.yaml, or a folder of its files
  --kubeconfig FILE    Where to write how to reach it (default NAME.kubeconfig)
  -h, --help           Show this help

Example:
  npm run gateway-cluster -- west --address 127.0.0.2 --definitions standard-install.yaml
`;

interface Arguments {
  readonly name: string;
  readonly address: string;
  readonly definitions: string;
  readonly kubeconfig: string;
}

class UsageError extends Error {}

function readArguments(): Arguments | "help" {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      address: { type: "string", default: "127.0.0.2" },
      definitions: { type: "string" },
      kubeconfig: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return "help";
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new UsageError("It takes one name.");
  const definitions = values.definitions ?? gatewayDefinitionsFolder().path;
  if (definitions === undefined) throw new UsageError("--definitions has to say where the Gateway API is.");
  return {
    name,
    address: values.address,
    definitions,
    kubeconfig: values.kubeconfig ?? `${name}.kubeconfig`,
  };
}

async function serve(options: Arguments): Promise<void> {
  const { name, address, kubeconfig } = options;
  const shutdown = new Shutdown({ clock: systemClock, stepLimitMs: 5_000, totalLimitMs: 10_000 });
  const detach = attachProcessSignals(
    // The end is waited for below, and tells there what failed.
    (signal) => void shutdown.run(`received ${signal}`).catch(() => {}),
    process,
  );
  const tell = (error: Error): void => console.error(`error: ${error.message}`);
  const cluster = await GatewayCluster.start({ ...options, onError: tell });
  shutdown.add("cluster", () => cluster[Symbol.asyncDispose]());
  console.log(`Cluster ${name} serves at ${address}; ${kubeconfig} leads to it.
Enter takes ${address} away, and brings it back. Ctrl-C ends it.`);
  const lines = createInterface({ input: process.stdin });
  shutdown.add("terminal", () => lines.close());
  lines.on(
    "line",
    () => void turn(cluster, address).catch((error: unknown) => tell(BowlineError.from(error))),
  );
  await shutdown.finished();
  detach();
}

async function turn(cluster: GatewayCluster, address: string): Promise<void> {
  await (cluster.isLost ? cluster.comeBack() : cluster.lose());
  console.log(cluster.isLost ? `Nothing answers at ${address} any more.` : `${address} answers again.`);
}

async function main(): Promise<number> {
  try {
    const options = readArguments();
    if (options === "help") {
      console.log(usage);
      return 0;
    }
    await serve(options);
    return 0;
  } catch (thrown) {
    const isUsage = thrown instanceof UsageError || thrown instanceof TypeError;
    console.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    if (isUsage) console.error("Run 'npm run gateway-cluster -- --help' for usage.");
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main();
