import { BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

import type { AgentObjects } from "../objects/agent-objects.ts";
import type { MetricsAgent } from "../objects/kinds.ts";
import { isPrunable } from "../objects/ownership.ts";
import type { StatefulSet } from "../objects/stateful-set.ts";
import type { ClusterCache } from "../watch/cluster-cache.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { writeStatefulSet, type WrittenSet } from "./write-stateful-set.ts";

interface WriteParts {
  readonly client: KubeClient;
  readonly writer: ObjectWriter;
  readonly cache: Pick<ClusterCache, "secrets" | "services" | "statefulSets">;
  readonly agent: MetricsAgent;
  readonly signal: AbortSignal;
}

/** Changes that a reconcile has made. */
export interface Changes {
  readonly config: boolean;
  readonly created: readonly string[];
  readonly recreated: readonly string[];
  readonly pruned: readonly string[];
}

export interface WrittenObjects {
  readonly statefulSets: readonly StatefulSet[];
  readonly changes: Changes;
}

/**
 * Writes what an agent should have, in the order in which one needs the other, and deletes the rest last. Whoever dies
 * in between leaves something that works, and the next one finds what is missing.
 */
export async function writeObjects(parts: WriteParts, wanted: AgentObjects): Promise<WrittenObjects> {
  await writeAll(parts, resources.secrets, wanted.files);
  const config = await writeAll(parts, resources.secrets, wanted.config);
  await writeAll(parts, resources.services, [wanted.service]);
  const sets = await writeStatefulSets(parts, wanted.statefulSets);
  const pruned = await pruneUnwanted(parts, wanted);
  return { statefulSets: sets.written, changes: { config, ...sets.changes, pruned } };
}

/** Whether anything had to be changed. */
async function writeAll(
  { writer, agent, signal }: WriteParts,
  resource: ResourceRef,
  objects: readonly KubeObject[],
): Promise<boolean> {
  const written = await Promise.all(
    objects.map(async (wanted) => {
      const request = { agent, resource, wanted, signal };
      return writer.write(request, await writer.find(request));
    }),
  );
  return written.some(({ changed }) => changed);
}

interface WrittenSets {
  readonly written: readonly StatefulSet[];
  readonly changes: Pick<Changes, "created" | "recreated">;
}

/** An agent may have a thousand shards; others would wait for all of them. */
const setsAtOnce = 8;

async function writeStatefulSets(parts: WriteParts, sets: readonly StatefulSet[]): Promise<WrittenSets> {
  const { agent, signal } = parts;
  const results: WrittenSet[] = [];
  for (let start = 0; start < sets.length; start += setsAtOnce) {
    const some = sets.slice(start, start + setsAtOnce);
    results.push(
      ...(await Promise.all(some.map((wanted) => writeStatefulSet(parts, { agent, wanted, signal })))),
    );
  }
  const namesOf = (some: typeof results): string[] => some.map(({ object }) => object.metadata.name ?? "");
  return {
    written: results.map(({ object }) => object),
    changes: {
      created: namesOf(results.filter(({ created, recreated }) => created && !recreated)),
      recreated: namesOf(results.filter(({ recreated }) => recreated)),
    },
  };
}

async function pruneUnwanted(parts: WriteParts, wanted: AgentObjects): Promise<string[]> {
  const { cache, agent } = parts;
  const { namespace } = agent.metadata;
  const kinds = [
    [resources.statefulSets, cache.statefulSets, wanted.statefulSets],
    [resources.services, cache.services, [wanted.service]],
    [resources.secrets, cache.secrets, [...wanted.files, ...wanted.config]],
  ] as const;
  const gone: string[] = [];
  for (const [resource, informer, kept] of kinds) {
    const wantedNames = new Set(kept.map(({ metadata }) => metadata.name ?? ""));
    gone.push(...(await prune({ ...parts, resource, found: informer.list(namespace), wantedNames })));
  }
  return gone;
}

interface PruneRequest {
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
async function prune({ client, agent, resource, ...request }: PruneRequest): Promise<string[]> {
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
