import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { caOf, connectionOf } from "../connection/connect-to-server.ts";
import { credentialProgram, installedProgram, needsTokenVariable } from "../kubeconfig/credential-program.ts";
import { kubeconfigEntries, type KubeconfigEntries } from "../kubeconfig/kubeconfig-entries.ts";
import { changeKubeconfig, kubeconfigPath } from "../kubeconfig/kubeconfig-file.ts";
import { toDocument, type DocumentFormat } from "../output/to-document.ts";
import { listObjects } from "../resources/find-objects.ts";
import { requireObjectName } from "../resources/resource.ts";

export function addKubeconfigCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("kubeconfig")
    .usage("(NAME... | --all) [FLAGS]")
    .description(
      "Print a kubeconfig with which kubectl, and everything else that reads one, reaches clusters through the server, or merge it into yours. It holds no token: kubectl asks `bowline credential` for the one of your context.",
    )
    .argument("[NAME...]", "The clusters; cluster NAME becomes the context bowline-NAME")
    .option("--all", "Every cluster", false)
    .option(
      "--merge",
      "Write to the file that kubectl uses (KUBECONFIG, or ~/.kube/config); what else is in it stays",
      false,
    )
    .addOption(new Option("-o, --output <FORMAT>", "How to print it").choices(["json", "yaml"]))
    .action((names: string[], options: KubeconfigOptions) => writeKubeconfig(context, names, options));
  addExamples(command, [
    {
      does: "Let kubectl reach a cluster",
      run: "bowline kubeconfig prod-eu-1 --merge\nkubectl --context bowline-prod-eu-1 get pods -A",
    },
    { does: "The same for all of them", run: "bowline kubeconfig --all --merge" },
    { does: "Keep it in a file of its own", run: "bowline kubeconfig prod-eu-1 > prod-eu-1.kubeconfig" },
  ]);
}

export interface KubeconfigOptions {
  readonly all: boolean;
  readonly merge: boolean;
  readonly output?: DocumentFormat;
}

/** Prints a kubeconfig for clusters, or merges it into the one that kubectl uses. */
export async function writeKubeconfig(
  context: CommandContext,
  names: readonly string[],
  options: KubeconfigOptions,
): Promise<void> {
  if (options.merge && options.output !== undefined) {
    throw new BowlineError("InvalidArgument", "--merge writes to a file; leave out either it or --output.");
  }
  const clusters = await chosenClusters(context, names, options);
  const connection = await connectionOf(context);
  const program = await installedProgram(context.environment);
  const entries = kubeconfigEntries({
    connection,
    caPem: await caOf(connection),
    clusters,
    credential: credentialProgram(program, connection, context.environment),
  });
  if (options.merge) await merge(context, entries);
  else context.terminal.out(await toDocument(wholeConfig(entries), options.output ?? "yaml"));
  if (needsTokenVariable(connection)) {
    context.terminal.error(
      "kubectl will need BOWLINE_TOKEN, as this command did; `bowline login` keeps a token.\n",
    );
  }
}

/** Only clusters that exist: whoever misspells one learns of it here, and not from kubectl. */
async function chosenClusters(
  { client, signal }: CommandContext,
  names: readonly string[],
  { all }: KubeconfigOptions,
): Promise<readonly string[]> {
  if (all === names.length > 0) {
    throw new BowlineError("InvalidArgument", "Say which clusters: give their names, or --all.");
  }
  const wanted = [...new Set(names.map(requireObjectName))];
  const server = await client();
  if (all) {
    const { objects } = await listObjects(server, Cluster, { signal });
    if (objects.length === 0)
      throw new BowlineError("NotFound", "There are no clusters yet; `bowline cluster add NAME` adds one.");
    return objects.map(({ object }) => object.metadata.name);
  }
  for (const name of wanted) await server.get(Cluster, name, { signal });
  return wanted;
}

function wholeConfig(entries: KubeconfigEntries): object {
  const [first, ...others] = entries.contexts;
  return {
    apiVersion: "v1",
    kind: "Config",
    ...entries,
    ...(first !== undefined && others.length === 0 ? { "current-context": first.name } : {}),
  };
}

async function merge({ environment, terminal }: CommandContext, entries: KubeconfigEntries): Promise<void> {
  const path = await kubeconfigPath(environment);
  const [first = { name: "" }] = entries.contexts;
  const outcomes = await changeKubeconfig(path, (document) => {
    const merged = document.merge(entries);
    document.proposeContext(first.name);
    return merged;
  });
  for (const [name, outcome] of outcomes) terminal.out(`context/${name} ${outcome}\n`);
  terminal.error(`Written to ${path}. Try: kubectl --context ${first.name} get namespaces\n`);
}
