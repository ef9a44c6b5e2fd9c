import { BowlineError } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import { isPrunable } from "../objects/ownership.ts";

export interface PruneRequest {
  readonly client: KubeClient;
  readonly agent: MetricsAgent;
  readonly resource: ResourceRef;
  /** Objects of that resource in the agent's namespace, whoever they belong to. */
  readonly found: readonly Pick<KubeObject, "metadata">[];
  readonly wantedNames: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Deletes what the agent has made and does not want any more, and nothing else. What was found may be old: the UID makes
 * sure that the very object is deleted that was looked at. Resolves to the names of those that are gone.
 */
export async function prune({ client, agent, resource, ...request }: PruneRequest): Promise<string[]> {
  const { found, wantedNames, signal } = request;
  const { namespace } = agent.metadata;
  const gone: string[] = [];
  for (const { metadata } of found) {
    const { name = "", uid = "", deletionTimestamp } = metadata;
    if (wantedNames.has(name) || !isPrunable(agent, { metadata })) continue;
    if (metadata.namespace !== namespace || deletionTimestamp !== undefined) continue;
    try {
      const options = { propagationPolicy: "Background", preconditions: { uid }, signal } as const;
      await client.delete(resource, { name, namespace, ...options });
      gone.push(name);
    } catch (error) {
      // Gone already. What conflicts is looked at again: it may be another object by now, or still be there.
      if (BowlineError.from(error).code !== "NotFound") throw error;
    }
  }
  return gone;
}
