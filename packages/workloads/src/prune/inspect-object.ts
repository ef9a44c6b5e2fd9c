import { BowlineError } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import type { InventoryItem } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import { findLiveMetadata, type LiveTarget } from "../cluster/live-object.ts";
import type { ObjectProblem } from "../object-result.ts";
import type { KindTable } from "../render/kind-table.ts";
import { pruneSetting } from "../render/settings.ts";
import { instanceLabel } from "../workload.ts";

/**
 * What is to become of an object that is not wanted any more:
 *
 * - `delete`: it is ours
 * - `keep`: it is ours and stays, because it or its kind says so
 * - `release`: it is somebody else's by now
 * - `gone`: it is not there
 */
export type Inspected =
  | { readonly verdict: "delete"; readonly target: LiveTarget; readonly live: KubeObject }
  | {
      readonly verdict: "keep" | "release";
      readonly target: LiveTarget;
      readonly live: KubeObject;
      readonly problem: ObjectProblem;
    }
  | { readonly verdict: "gone" };

/** An object of the inventory that is in the cluster. */
export interface Candidate {
  readonly item: InventoryItem;
  readonly seen: Exclude<Inspected, { readonly verdict: "gone" }>;
}

/** Kinds whose deletion takes along what nobody can bring back. */
const protectedKinds = new Set([
  "/Namespace",
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "apiextensions.k8s.io/CustomResourceDefinition",
]);

/** Looks at an object in the cluster. Throws when the cluster does not say. */
export async function inspectObject(
  context: EngineContext,
  kinds: KindTable,
  item: InventoryItem,
): Promise<Inspected> {
  const kind = await kinds.findAnyVersion(item);
  if (kind instanceof BowlineError) throw kind;
  // A cluster that does not have the kind has no objects of it.
  if (kind === undefined) return { verdict: "gone" };
  const target: LiveTarget = { kindInCluster: kind, namespace: item.namespace, name: item.name };
  const live = await findLiveMetadata(context, target);
  if (live === undefined) return { verdict: "gone" };
  return { target, live, ...judge(item, live, context.instance) };
}

type Verdict =
  | { readonly verdict: "delete" }
  | { readonly verdict: "keep" | "release"; readonly problem: ObjectProblem };

function judge(item: InventoryItem, live: KubeObject, instance: string): Verdict {
  const { uid, labels } = live.metadata;
  if (item.uid !== undefined && item.uid !== uid) {
    return released("Replaced", "Somebody has made another object of this name, which is left alone.");
  }
  const owner = labels?.[instanceLabel];
  if (owner !== instance) {
    const who = owner === undefined ? "nobody of Bowline" : `the instance ${owner}`;
    return released("Moved", `Its label ${instanceLabel} names ${who}, so it is left alone.`);
  }
  const setting = pruneSetting(live);
  if (setting === "disabled") {
    return kept("PruneDisabled", "Its annotation bowline.dev/prune: disabled keeps it.");
  }
  if (setting === undefined && protectedKinds.has(`${item.group}/${item.kind}`)) {
    const how = "Annotate it with bowline.dev/prune: allowed to have it deleted, or delete it yourself.";
    return kept("PruneProtected", `A ${item.kind} stays, with what is in it. ${how}`);
  }
  return { verdict: "delete" };
}

function released(reason: ObjectProblem["reason"], message: string): Verdict {
  return { verdict: "release", problem: { reason, message } };
}

function kept(reason: ObjectProblem["reason"], message: string): Verdict {
  return { verdict: "keep", problem: { reason, message } };
}
