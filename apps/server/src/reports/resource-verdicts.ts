import {
  judge,
  judgedAgainMs,
  judgeTree,
  relapseOf,
  runEnd,
  type JudgedObject,
  type Verdict,
} from "@bowline/health";
import type { ReportedResource } from "@bowline/store";

/** An object of a workload and the verdict on it alone; its facts are not kept, as they may be large. */
export interface JudgedResource extends JudgedObject, Omit<ReportedResource, "facts"> {
  /** After so long it may be judged otherwise without any report. */
  readonly againMs?: number | undefined;
  /** Of a Job or a Pod that has ended. */
  readonly end?: "succeeded" | "failed" | undefined;
}

export function judgeResource({ facts, ...resource }: ReportedResource, now: Date): JudgedResource {
  const known = parse(facts);
  return {
    ...resource,
    verdict: judge(known, now),
    relapse: relapseOf(known, now),
    againMs: judgedAgainMs(known, now),
    end: runEnd(known),
  };
}

function parse(facts: string): unknown {
  try {
    return JSON.parse(facts);
  } catch {
    return undefined;
  }
}

/** A resource that a workload names, and all that it owns. */
export interface ResourceTree {
  readonly root: JudgedResource;
  readonly derived: readonly JudgedResource[];
  /** On all of them together. */
  readonly verdict: Verdict;
  /** After so long it may be another without any report. */
  readonly againMs?: number | undefined;
}

/** Deeper chains of owners do not exist; a cluster that tells of one, or of a circle, is not followed. */
const maxDepth = 16;

/** The trees of a workload. What is owned by nothing that was reported stands by itself, as its owner may yet come. */
export function resourceTrees(resources: readonly JudgedResource[]): ResourceTree[] {
  const byUid = new Map(resources.map((resource) => [resource.uid, resource]));
  const derived = new Map<string, JudgedResource[]>();
  const roots: JudgedResource[] = [];
  for (const resource of resources) {
    const root = rootOf(resource, byUid);
    const owned = derived.get(root.uid);
    if (root === resource) roots.push(resource);
    else if (owned === undefined) derived.set(root.uid, [resource]);
    else owned.push(resource);
  }
  return roots.map((root) => {
    const owned = derived.get(root.uid) ?? [];
    const againMs = soonest([root, ...owned].map((resource) => resource.againMs));
    return { root, derived: owned, verdict: judgeTree(root, owned), againMs };
  });
}

/** The shortest of some times; undefined when there is none. */
export function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function rootOf(resource: JudgedResource, byUid: ReadonlyMap<string, JudgedResource>): JudgedResource {
  let current = resource;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const owner = current.ownerUid === undefined ? undefined : byUid.get(current.ownerUid);
    if (owner === undefined) return current;
    if (owner === resource) return resource;
    current = owner;
  }
  return resource;
}
