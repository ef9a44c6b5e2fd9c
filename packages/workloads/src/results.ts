import { appliedDigest } from "@bowline/kube";
import type { ClusterObject, InventoryItem } from "@bowline/store";

import type { AppliedObjectOutcome } from "./apply/apply-run.ts";
import type { ObjectResult } from "./object-result.ts";
import { itemResult } from "./prune/prune-result.ts";
import type { RefusedObject, UnreadableObject } from "./render/render-workload.ts";
import { fieldManager } from "./workload.ts";

export function refusedResult({ problem, ...object }: RefusedObject): ObjectResult {
  return { ...object, state: "failed", isWritten: false, ...problem };
}

export function unreadableResult({ error, ...object }: UnreadableObject): ObjectResult {
  const told = { reason: "Unavailable", message: error.message } as const;
  return { ...object, state: "waiting", isWritten: false, ...told };
}

/** Nothing had to be sent. */
export function doneResult(item: InventoryItem): ObjectResult {
  return itemResult(item, "applied");
}

export function appliedResult({ claimed: { item }, outcome }: AppliedObjectOutcome): ObjectResult {
  if (outcome.outcome !== "applied") return itemResult(item, outcome.outcome, outcome.problem);
  const { uid } = outcome.answer.metadata;
  const digest = appliedDigest(outcome.answer, fieldManager);
  const isChanged = item.state !== "applied";
  return { ...itemResult({ ...item, uid, digest }, "applied"), isWritten: true, isChanged };
}

/** In one order, so that equal states are equal texts. */
export function sorted<T extends ClusterObject>(results: readonly T[]): T[] {
  const text = ({ group, kind, namespace, name }: T): string => [group, kind, namespace, name].join("\u0000");
  return results
    .map((result) => ({ result, key: text(result) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ result }) => result);
}
