import type { WorkloadPlacement } from "@bowline/api";
import { rollUp, type Verdict } from "@bowline/health";
import { findCondition } from "@bowline/runtime";
import { objectText, type InventoryItem, type ReportCursor } from "@bowline/store";

import { justApplied } from "../workloads/placement-status.ts";
import { soonest, type JudgedResource, type ResourceTree } from "./resource-verdicts.ts";

/** All that is known of a placement. */
export interface PlacementFacts {
  readonly items: readonly InventoryItem[];
  readonly trees: readonly ResourceTree[];
  /** Undefined before the first report of the cluster. */
  readonly cursor: ReportCursor | undefined;
  /** UIDs of objects that were reported before, as far as this process remembers. */
  readonly seen?: ReadonlySet<string> | undefined;
  /** The agent may not watch some of its kinds: what is not reported may be there all the same. */
  readonly lacksRights?: boolean | undefined;
  /** Why what was reported is too old to be believed. */
  readonly outdated?: Verdict | undefined;
  readonly nowMs: number;
}

/** How one object of a placement does. */
export interface ResourceHealth {
  /** Undefined where nothing new can be said. */
  readonly verdict: Verdict | undefined;
  readonly uid?: string | undefined;
  /** Of the state that was reported; missing for an object that is gone. */
  readonly resourceVersion?: string | undefined;
  /** Somebody else has changed it, or it is gone. */
  readonly drifted?: { readonly changedBy: string } | undefined;
  /** Of a Job or a Pod that has ended. */
  readonly end?: "succeeded" | "failed" | undefined;
}

export interface PlacementHealth {
  /** By `objectText`. */
  readonly resources: ReadonlyMap<string, ResourceHealth>;
  /** After so long it may be another without any report. */
  readonly againMs: number | undefined;
}

/** So soon after it was applied, an object may not have been reported yet as it is. */
const settleMs = 2_000;
/** An agent may see an object before the server has read the clock; and no two clocks are alike. */
const clockToleranceMs = 500;
/** So long an agent may take to find an object that is new to it, begin to watch its kind, and report for the first time. */
const findMs = 10_000;

const notReported: Verdict = {
  health: "Unknown",
  reason: "NotReported",
  message: `The agent has not told how it does within ${findMs / 1000} seconds. It may lack the right to watch workloads, or its kind.`,
};
const notApplied: Verdict = {
  health: "Missing",
  reason: "NotApplied",
  message: "It has not been applied yet.",
};
const notFound: Verdict = {
  health: "Missing",
  reason: "NotFound",
  message: "The object is not in the cluster.",
};

const notWatched: Verdict = {
  health: "Healthy",
  reason: "NotWatched",
  message: "It was applied; agents are not let in on Secrets, so that is all that is known.",
};

const hookSucceeded: Verdict = {
  health: "Healthy",
  reason: "HookSucceeded",
  message: "The hook has done its work, and is gone.",
};
const hookFailed: Verdict = {
  health: "Degraded",
  reason: "HookFailed",
  message: "The hook has not succeeded, and is gone.",
};

/** How the objects of a placement do, that are to be in the cluster. */
export function placementHealth(facts: PlacementFacts): PlacementHealth {
  const { items, trees, outdated } = facts;
  const found = new Map(trees.map((tree) => [objectText(tree.root), tree]));
  const byUid = new Map(trees.map((tree) => [tree.root.uid, tree]));
  const resources = new Map<string, ResourceHealth>();
  const waits: (number | undefined)[] = [];
  for (const item of items) {
    if (item.state !== "applied" && item.state !== "intended") continue;
    const tree = (item.uid === undefined ? undefined : byUid.get(item.uid)) ?? found.get(objectText(item));
    const judge = item.hook === undefined ? healthOf : hookHealth;
    const judged = outdated === undefined ? judge(item, tree, facts) : { verdict: outdated };
    resources.set(objectText(item), judged);
    waits.push(judged.againMs);
  }
  return { resources, againMs: soonest(waits) };
}

/** A hook runs once: nobody sets it right, and one that has succeeded may be gone. */
function hookHealth(item: InventoryItem, tree: ResourceTree | undefined, facts: PlacementFacts): TimedHealth {
  if (tree === undefined && item.hookEnd !== undefined) {
    return { verdict: item.hookEnd === "succeeded" ? hookSucceeded : hookFailed };
  }
  return { ...healthOf(item, tree, facts), end: tree?.root.end, drifted: undefined };
}

type TimedHealth = ResourceHealth & { readonly againMs?: number | undefined };

function healthOf(
  item: InventoryItem,
  tree: ResourceTree | undefined,
  { cursor, nowMs, seen, lacksRights = false }: PlacementFacts,
): TimedHealth {
  const sinceMs = item.appliedAtMs === undefined ? Number.POSITIVE_INFINITY : nowMs - item.appliedAtMs;
  if (tree === undefined) {
    const wasThere = item.uid !== undefined && seen?.has(item.uid) === true;
    if (!wasThere && isUnwatched(item)) return { verdict: notWatched };
    if (wasThere) return unreported(item, cursor, Number.POSITIVE_INFINITY);
    return unreported(item, lacksRights ? undefined : cursor, sinceMs);
  }
  const { root } = tree;
  const settling = settleMs - sinceMs;
  const isOther = isDrifted(item, root);
  const pendingMs = believedAfterMs(item, root, isOther) - sinceMs;
  if (pendingMs > 0) return { verdict: justApplied, uid: root.uid, againMs: pendingMs };
  const { verdict, againMs } = tree;
  const reported = { verdict, uid: root.uid, resourceVersion: root.resourceVersion, againMs };
  if (!isOther) return reported;
  if (settling > 0) return { ...reported, againMs: soonest([againMs, settling]) };
  return { ...reported, drifted: { changedBy: root.changedBy ?? "" } };
}

/**
 * Most agents may not read Secrets, and report everything but these. What was applied is as well as a Secret can be; one
 * that an agent does report is judged by that.
 */
function isUnwatched({ group, kind, state, uid }: InventoryItem): boolean {
  return group === "" && kind === "Secret" && state === "applied" && uid !== undefined;
}

/** Nothing is reported of the object: that it is not there is known only when everything was reported. */
function unreported(item: InventoryItem, cursor: ReportCursor | undefined, sinceMs: number): TimedHealth {
  if (item.state === "intended" && item.uid === undefined) return { verdict: notApplied };
  // Agents begin to look with the first workload of a cluster: that nothing was told yet says nothing about their rights.
  const finding = findMs - sinceMs;
  if (finding > 0) return { verdict: justApplied, againMs: finding };
  if (cursor === undefined) return { verdict: notReported };
  if (!cursor.complete) return { verdict: undefined };
  return { verdict: notFound, drifted: { changedBy: "" } };
}

/** Whether the agent is known to lack rights; the condition names them. */
export function lacksRights({ conditions }: Pick<WorkloadPlacement["status"], "conditions">): boolean {
  return findCondition(conditions, "Watched")?.reason === "WatchForbidden";
}

/** The verdict on an object of which nothing new can be said, from the one before: it is not just applied for ever. */
export function standing(before: Verdict | undefined): Verdict {
  return before === undefined || before.reason === justApplied.reason ? notReported : before;
}

/** Fields that were Bowline's are so no more, or another object has taken the name. */
function isDrifted({ state, uid, digest }: InventoryItem, root: JudgedResource): boolean {
  if (state !== "applied") return false;
  return (uid !== undefined && uid !== root.uid) || (digest !== undefined && digest !== root.applied);
}

/** How long after an object was applied a report is believed that may be of what it was before; 0 for one of since then. */
function believedAfterMs(item: InventoryItem, root: JudgedResource, isOther: boolean): number {
  if (item.state !== "applied") return 0;
  const isBehind = precedes(root.resourceVersion, item.resourceVersion);
  // With other fields than those that were applied, an object was seen before that, however little the clocks agree:
  // how it did then says nothing, and nobody has changed it since.
  const toleranceMs = isOther ? 0 : clockToleranceMs;
  const isOld = isBehind ?? root.observedAtMs + toleranceMs < (item.appliedAtMs ?? 0);
  if (!isOld) return 0;
  return isOther || isBehind ? findMs : settleMs;
}

/**
 * Whether an object was reported as it was before it was applied. Its digest is the same when the same fields got other
 * values twice within a second. Undefined where resourceVersions are no numbers: then only clocks can tell.
 */
function precedes(reported: string, applied: string | undefined): boolean | undefined {
  if (applied === undefined || !isCount(applied) || !isCount(reported)) return undefined;
  return BigInt(reported) < BigInt(applied);
}

function isCount(resourceVersion: string): boolean {
  return /^[0-9]{1,20}$/.test(resourceVersion);
}

/** The verdict on the whole, and the figures that go with it. */
export function wholeOf(verdicts: readonly Verdict[]): {
  readonly verdict: Verdict;
  readonly healthyCount: number;
} {
  if (verdicts.length === 0) {
    const message = "It has no resources yet.";
    return { verdict: { health: "Unknown", reason: "NoResources", message }, healthyCount: 0 };
  }
  const healthyCount = verdicts.filter(({ health }) => health === "Healthy").length;
  return { verdict: rollUp(verdicts), healthyCount };
}
