import {
  treeLimits,
  type ClusterTree,
  type EventRecord,
  type TreeResource,
  type WorkloadPlacement,
} from "@bowline/api";
import { healths, type Health, type Verdict } from "@bowline/health";
import { objectText, type ClusterObject } from "@bowline/store";

import { resourceText } from "../workloads/placement-status.ts";
import { lacksRights, placementHealth, wholeOf, type PlacementFacts } from "./placement-health.ts";
import type { JudgedResource, ResourceTree } from "./resource-verdicts.ts";

/** Deeper ones stand where the deepest stand. */
const maxDepth = 16;

const unknown: Verdict = { health: "Unknown", reason: "NotReported", message: "Nothing is known of it yet." };

/** The objects of a workload in a cluster, each before those that it owns, with what happened to them. */
export function clusterTree(
  { spec: { cluster }, status }: WorkloadPlacement,
  facts: PlacementFacts,
  events: readonly EventRecord[],
): ClusterTree {
  const { resources } = placementHealth({ ...facts, lacksRights: lacksRights(status) });
  const refused = new Map(
    status.resources
      .filter(({ state }) => state === "failed")
      .map((resource) => [resourceText(resource), resource]),
  );
  const happened = new EventIndex(events);
  const reported = new Map(facts.trees.map((tree) => [objectText(tree.root), tree]));
  const entries: TreeResource[][] = [];
  const verdicts: Verdict[] = [];
  for (const item of facts.items) {
    const key = objectText(item);
    const tree = reported.get(key);
    reported.delete(key);
    const { verdict: judged = tree?.verdict ?? unknown, drifted, uid } = resources.get(key) ?? {};
    const refusal = refused.get(key);
    refused.delete(key);
    const verdict = refusal === undefined ? judged : refusedVerdict(refusal);
    if (refusal !== undefined || resources.has(key)) verdicts.push(verdict);
    const first = {
      ...entry({ ...item, uid: uid ?? tree?.root.uid }, verdict, 0, happened),
      ...(drifted === undefined ? {} : { drifted }),
    };
    entries.push([first, ...below(tree, happened)]);
  }
  // Refused before anybody could own them.
  for (const resource of refused.values()) {
    const verdict = refusedVerdict(resource);
    verdicts.push(verdict);
    entries.push([entry({ ...resource, namespace: resource.namespace ?? "" }, verdict, 0, happened)]);
  }
  // What belongs to nothing that was applied: its owner is gone, or has yet to be reported.
  for (const tree of reported.values()) {
    entries.push([entry(tree.root, tree.verdict, 0, happened), ...below(tree, happened)]);
  }
  entries.sort(([one], [other]) => byTrouble(one, other));
  const listed = entries.flat();
  const whole = wholeOf(verdicts).verdict;
  const newestMs = facts.trees.reduce((newest, { root }) => Math.max(newest, root.observedAtMs), 0);
  return {
    cluster,
    health: whole.health,
    healthReason: whole.reason,
    healthMessage: whole.message,
    ...(newestMs === 0 ? {} : { observedAt: new Date(newestMs).toISOString() }),
    resourceCount: listed.length,
    resources: listed.slice(0, treeLimits.resources),
  };
}

type ResourceStatus = WorkloadPlacement["status"]["resources"][number];

/** What the cluster refused is not as it should be, however well an older version of it does. */
function refusedVerdict({
  uid,
  reason = "Refused",
  message = "The cluster refused it.",
}: ResourceStatus): Verdict {
  return { health: uid === undefined ? "Missing" : "Degraded", reason, message };
}

/** All that a resource owns, depth first. */
function below(tree: ResourceTree | undefined, happened: EventIndex): TreeResource[] {
  if (tree === undefined) return [];
  const owned = Map.groupBy(tree.derived, ({ ownerUid = "" }) => ownerUid);
  const listed: TreeResource[] = [];
  const walk = (ownerUid: string, depth: number): void => {
    const children = (owned.get(ownerUid) ?? []).map((child) => ({
      child,
      told: { ...entry(child, child.verdict, Math.min(depth, maxDepth), happened), ownerUid },
    }));
    owned.delete(ownerUid);
    children.sort((one, other) => byTrouble(one.told, other.told));
    for (const { child, told } of children) {
      listed.push(told);
      walk(child.uid, depth + 1);
    }
  };
  walk(tree.root.uid, 1);
  return listed;
}

type Named = ClusterObject & Pick<JudgedResource, "version"> & { readonly uid?: string | undefined };

function entry(named: Named, verdict: Verdict, depth: number, happened: EventIndex): TreeResource {
  const { group, version, kind, namespace, name, uid } = named;
  return {
    group,
    version,
    kind,
    ...(namespace === "" ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    depth,
    health: verdict.health,
    healthReason: verdict.reason,
    healthMessage: verdict.message,
    events: happened.of(named),
  };
}

function byTrouble(one: TreeResource | undefined, other: TreeResource | undefined): number {
  if (one === undefined || other === undefined) return 0;
  return severity(one.health) - severity(other.health) || compareText(textOf(one), textOf(other));
}

const severity = (health: Health): number => healths.indexOf(health);
const textOf = ({ kind, namespace = "", name }: TreeResource): string => `${kind} ${namespace} ${name}`;

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Events by the object that they are about; they come with the newest first. */
class EventIndex {
  readonly #events: ReadonlyMap<string, readonly EventRecord[]>;

  constructor(events: readonly EventRecord[]) {
    this.#events = Map.groupBy(
      events,
      ({ regarding: { id, kind, namespace = "", name } }) => id ?? nameKey(kind, namespace, name),
    );
  }

  of({ uid = "", kind, namespace, name }: Named): EventRecord[] {
    const events = this.#events.get(uid) ?? this.#events.get(nameKey(kind, namespace, name)) ?? [];
    return events.slice(0, treeLimits.events);
  }
}

function nameKey(kind: string, namespace: string, name: string): string {
  return JSON.stringify([kind, namespace, name]);
}
