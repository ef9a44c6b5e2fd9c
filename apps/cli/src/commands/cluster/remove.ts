import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { timeoutOption } from "../../command/shared-options.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { namespaceOption } from "./agent-options.ts";

export function addRemove(command: Command, context: CommandContext): void {
  const remove = command
    .command("remove")
    .alias("rm")
    .summary("Remove clusters")
    .description(
      "Remove clusters from the server, and say how to take the agent out of them. A cluster that other objects still refer to is not removed without --cascade.",
    )
    .argument("<NAME...>", "The clusters")
    .option("--cascade", "Delete what refers to it as well, or take its name out there", false)
    .option("--dry-run", "Have the server check everything and remove nothing", false)
    .option("--no-wait", "Only ask for it")
    .addOption(timeoutOption("How long to wait for each of them; without it, as long as it takes"))
    .addOption(namespaceOption())
    .action((names: string[], options: RemoveOptions) => removeClusters(context, names, options));
  addExamples(remove, [
    {
      does: "Remove a cluster from every placement and grant too",
      run: "bowline cluster remove prod-eu-1 --cascade",
    },
  ]);
}

interface RemoveOptions {
  readonly cascade: boolean;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeout?: number;
  readonly namespace: string;
}

/** Deletes Clusters, which revokes their agents, and says how to take those out of the clusters themselves. */
async function removeClusters(
  context: CommandContext,
  names: readonly string[],
  options: RemoveOptions,
): Promise<void> {
  const { namespace, ...deletion } = options;
  const { clusterRoleName } = await import("@bowline/api/agent-manifest");
  const role = clusterRoleName(requireObjectName(namespace));
  const resources = ["cluster", ...names.map(requireObjectName)];
  const { deleteAll } = await import("../delete.ts");
  await deleteAll(context, resources, {
    ...deletion,
    all: false,
    ignoreNotFound: false,
    override: false,
    recursive: false,
    yes: false,
  });
  if (options.dryRun) return;
  context.terminal
    .error(`An agent that was applied to the cluster is still there, and can do nothing any more. To take it out, there:
  kubectl delete namespace/${namespace} clusterrole/${role} clusterrolebinding/${role}
`);
}
