import { asRecord, isRecord, shortened } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { ClusterView } from "./cluster-view.ts";

/** Longer than any infrastructure needs; whoever holds a deletion for so long has probably forgotten it. */
const stuckAfterMs = 30 * 60_000;

/** What a Cluster waits for that is being deleted: who holds it, and what Cluster API says itself. */
export function heldBy({ metadata }: KubeObject, { isPaused, said }: ClusterView, nowMs: number): string {
  const { finalizers = [], deletionTimestamp } = metadata;
  const holders = finalizers.map((finalizer) => {
    const manager = managerOf(metadata, finalizer);
    return manager === undefined ? finalizer : `${finalizer} (set by "${manager}")`;
  });
  const sinceMs = Date.parse(deletionTimestamp ?? "");
  const isStuck = nowMs - sinceMs >= stuckAfterMs;
  const told = [
    holders.length === 0
      ? "The Cluster is being deleted."
      : `The Cluster is being deleted and waits for ${holders.join(", ")}.`,
    ...(isPaused ? ["It is paused (spec.paused), so Cluster API does nothing."] : []),
    ...(said.deletion === "" ? [] : [`Cluster API says: ${said.deletion}`]),
    ...(isStuck
      ? [
          `It was asked to go at ${deletionTimestamp}: look whether the controller behind the finalizer runs in the management cluster, and what it logs.`,
        ]
      : []),
  ];
  return shortened(told.join(" "), 4_000);
}

/** Whoever wrote a finalizer, as the API server remembers it: `metadata.finalizers` is a set, whose members are owned. */
function managerOf({ managedFields = [] }: KubeObject["metadata"], finalizer: string): string | undefined {
  const key = `v:${JSON.stringify(finalizer)}`;
  const owner = managedFields.find(({ fieldsV1 }) => {
    const finalizers = asRecord(asRecord(fieldsV1)["f:metadata"])["f:finalizers"];
    return isRecord(finalizers) && Object.hasOwn(finalizers, key);
  });
  return owner?.manager;
}
