import type { CommandContext } from "../../command/command-context.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { deleteAll } from "../delete.ts";
import { clusterRoleName } from "./agent-manifest.ts";

export interface RemoveOptions {
  readonly cascade: boolean;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeout?: number;
  readonly namespace: string;
}

/** Deletes Clusters, which revokes their agents, and says how to take those out of the clusters themselves. */
export async function removeClusters(
  context: CommandContext,
  names: readonly string[],
  options: RemoveOptions,
): Promise<void> {
  const { namespace, ...deletion } = options;
  const resources = ["cluster", ...names.map(requireObjectName)];
  await deleteAll(context, resources, {
    ...deletion,
    all: false,
    ignoreNotFound: false,
    recursive: false,
    yes: false,
  });
  if (options.dryRun) return;
  const role = clusterRoleName(requireObjectName(namespace));
  context.terminal
    .error(`An agent that was applied to the cluster is still there, and can do nothing any more. To take it out, there:
  kubectl delete namespace/${namespace} clusterrole/${role} clusterrolebinding/${role}
`);
}
