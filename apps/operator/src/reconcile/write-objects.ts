import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import type { StatefulSet } from "../objects/stateful-set.ts";
import type { Changes } from "../status/agent-events.ts";
import type { ClusterCache } from "../watch/cluster-cache.ts";
import type { AgentObjects } from "./agent-objects.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { prune } from "./prune.ts";
import { writeStatefulSet, type WrittenSet } from "./write-stateful-set.ts";

export interface WriteParts {
  readonly client: KubeClient;
  readonly writer: ObjectWriter;
  readonly cache: Pick<ClusterCache, "secrets" | "services" | "statefulSets">;
  readonly agent: MetricsAgent;
  readonly signal: AbortSignal;
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
