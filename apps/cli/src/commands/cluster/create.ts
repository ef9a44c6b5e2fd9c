import { Cluster, formatAge, type ClusterPlan, type Kind } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError, hasCode } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { BrokenPipe, CommandExit } from "../../command/failure.ts";
import { outputOption, timeoutOption } from "../../command/shared-options.ts";
import { atManifest } from "../../manifests/manifest.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument, type DocumentFormat } from "../../output/to-document.ts";
import { wantedCluster, type BodyFlags, type WantedCluster } from "./create-body.ts";
import { goOn, showMaking } from "./show-making.ts";
import { addSpecFlags, makers } from "./spec-flags.ts";

const collect = (label: string, labels: readonly string[] = []): string[] => [...labels, label];

export function addCreate(command: Command, context: CommandContext): void {
  const create = command
    .command("create")
    .summary("Make a cluster, and wait until it can be worked with")
    .description(
      "Have the server make a cluster with its agent, and show how far it is until it can be worked with. What would be made and what it costs is told first; what costs something is asked about on a terminal. Ctrl-C ends the command and not the work: the server goes on.\n\nExits with 1 when a person has to do something about it, and says what.",
    )
    .argument("[NAME]", "What to call the cluster; may be left out with -f")
    .addOption(new Option("--provider <PROVIDER>", "What makes it").choices(makers))
    .option("-f, --filename <FILE>", "A file with a Cluster, or -; flags are set on top of what it says")
    .addOption(new Option("-l, --labels <KEY=VALUE>", "A label; give it again for more").argParser(collect));
  addSpecFlags(create)
    .option("--plan", "Only tell what would be made, and what it costs", false)
    .option("-y, --yes", "Do not ask before something is made that costs something", false)
    .option("--no-wait", "Only ask for it")
    .addOption(timeoutOption("How long to wait; the server goes on afterwards", "40m"))
    .addOption(outputOption(["json", "yaml"]))
    .action((name: string | undefined, options: CreateOptions) => createCluster(context, name, options));
  addExamples(create, [
    {
      does: "See what would be made, and what it costs",
      run: "bowline cluster create shop --provider eks --region eu-central-1 --node-type m7g.large --nodes 3 --plan",
    },
    {
      does: "Make it",
      run: "bowline cluster create shop --provider eks --region eu-central-1 --node-type m7g.large --nodes 3",
    },
    {
      does: "On the machine of the server, with kind",
      run: "bowline cluster create dev --provider kind --nodes 3 -l env=dev",
    },
    {
      does: "By a program of your own",
      run: "bowline cluster create rack-7 --provider exec --program make-cluster --arg=--size=3",
    },
    {
      does: "By Cluster API, from a ClusterClass",
      run: "bowline cluster create web --provider clusterapi --management-cluster mgmt --class quick-start --kubernetes-version 1.36.1 --set clusterapi.topology.controlPlaneReplicas=3",
    },
    {
      does: "For a script: the Cluster, once it is ready",
      run: "bowline cluster create -f shop.yaml --yes -o json | jq -r .status.kubernetesVersion",
    },
    { does: "From a file, without waiting", run: "bowline cluster create -f shop.yaml --yes --no-wait" },
  ]);
}

interface CreateOptions extends BodyFlags {
  readonly plan: boolean;
  readonly yes: boolean;
  readonly wait: boolean;
  readonly timeout: number;
  readonly output?: DocumentFormat;
}

async function createCluster(
  context: CommandContext,
  typedName: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const { terminal, signal } = context;
  const wanted = await wantedCluster(context, typedName, options);
  const client = await context.client();
  const plan = await client.planCluster(wanted.body, { signal }).catch((thrown: unknown) => {
    throw refusal(wanted, thrown);
  });
  const { output } = options;
  if (options.plan) {
    return terminal.out(output === undefined ? planText(wanted.name, plan) : await toDocument(plan, output));
  }
  terminal.error(planText(wanted.name, plan));
  if (!options.yes) await confirmCost(context, plan);
  const created = await create(context, client, wanted);
  const line = `cluster/${wanted.name} created\n`;
  if (output === undefined) terminal.out(line);
  else terminal.error(line);
  const { id } = created.metadata;
  const timeoutMs = options.timeout;
  const made = options.wait
    ? await showMaking(context, client, { name: wanted.name, id, timeoutMs })
    : created;
  if (output !== undefined) terminal.out(await toDocument(made, output));
  if (!options.wait) terminal.error(goOn(wanted.name));
}

async function create(
  { signal, terminal }: CommandContext,
  client: Client,
  wanted: WantedCluster,
): Promise<ReadObject<Kind>> {
  const { name, body } = wanted;
  // The body may be anything: the server checks it, and knows fields that this program does not.
  const kind: Kind = Cluster;
  try {
    return await client.create(kind, body, { signal });
  } catch (thrown) {
    if (signal.aborted && !(signal.reason instanceof BrokenPipe)) {
      terminal.error(`Nobody knows whether it was begun. Look: bowline get cluster/${name}\n`);
    }
    throw refusal(wanted, thrown);
  }
}

/** The server's words, with the line of the file or with what helps. */
function refusal({ name, manifest }: WantedCluster, thrown: unknown): BowlineError {
  if (hasCode(thrown, "Invalid") && manifest !== undefined) return atManifest(manifest, thrown);
  const error = BowlineError.from(thrown);
  if (error.code !== "AlreadyExists") return error;
  const advice = `See how far it is: bowline describe cluster/${name}`;
  return new BowlineError(error.code, `${error.message} ${advice}`, { cause: error });
}

/** `cluster/shop, by eks:`, the steps, and what it costs. */
function planText(name: string, { provider, steps, hourlyCost, expectedSeconds }: ClusterPlan): string {
  const cost = hourlyCost === undefined ? "Its cost is not known." : `It costs about ${hourlyCost} an hour.`;
  const time =
    expectedSeconds === undefined ? "" : ` It usually takes ${formatAge(expectedSeconds * 1_000)}.`;
  const lines = [
    `cluster/${name}, by ${provider}:`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    `${cost}${time}`,
  ];
  return `${lines.map(printableLine).join("\n")}\n`;
}

/** A script has been told to make it; a person may not have thought of the bill. */
async function confirmCost({ terminal, signal }: CommandContext, { hourlyCost }: ClusterPlan): Promise<void> {
  const isFree = hourlyCost === undefined || /^0+(?:\.0+)?(?: |$)/u.test(hourlyCost);
  if (isFree || !terminal.canAsk) return;
  const answer = await terminal.ask("Make it? [y/N] ", { signal });
  if (/^y(es)?$/iu.test(answer.trim())) return;
  terminal.error("Nothing was made.\n");
  throw new CommandExit(1);
}
