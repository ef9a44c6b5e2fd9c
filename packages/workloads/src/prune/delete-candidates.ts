import { objectText } from "@bowline/store";
import { BowlineError } from "@bowline/core";
import { deleteStages } from "@bowline/manifests";

import { lookForGone, requestDelete } from "../cluster/delete-object.ts";
import { orderOf } from "../order/order-annotations.ts";
import { inspectObject, type Candidate, type Inspected } from "./inspect-object.ts";
import { deletingProblem, itemResult } from "./prune-result.ts";
import type { PruneRun } from "./prune-run.ts";

/** One whose status is written all the time is looked at again. */
const tries = 5;
/** For so long a stage holds back those after it. An object that takes longer stops nobody. */
const goneLimitMs = 10_000;

/**
 * Deletes objects in the order of their stages and waves, backwards. Rows say so before the first request goes out.
 * Nothing is waited for here: an object may hang on a finalizer for days, and whoever runs this has others to look
 * after. A later run goes on from what the rows say, told how long runs before have waited for the same objects.
 */
export async function deleteCandidates(
  run: PruneRun,
  going: readonly Candidate[],
  waitedMs: number,
): Promise<void> {
  if (going.length === 0) return;
  const { inventory, key, fence } = run.context;
  const items = going.map(({ item }) => item);
  const lost = new Set((await inventory.pruning(key, items, { fence })).map(objectText));
  for (const { item } of going) {
    if (lost.has(objectText(item))) run.results.push(itemResult(item, "released", adopted));
  }
  const owned = going.filter(({ item }) => !lost.has(objectText(item)));
  const stages = deleteStages(
    owned,
    ({ item }) => item,
    ({ seen }) => orderOf(seen.live).wave,
  );
  for (const [at, stage] of stages.entries()) {
    const deleting: Candidate[] = [];
    await run.each(stage, async (candidate) => {
      const seen = await requestOne(run, candidate);
      if (seen !== undefined) deleting.push({ item: candidate.item, seen });
    });
    const left = await lookOnce(run, deleting);
    await run.forgetGone();
    const isOver = waitedMs >= goneLimitMs && left.every(wasDeleting);
    if (left.length > 0 && !isOver) {
      for (const { item } of stages.slice(at + 1).flat())
        run.results.push(itemResult(item, "deleting", next));
      return;
    }
  }
}

const next = {
  reason: "BeingDeleted",
  message: "It is deleted when the objects are gone that go before it.",
} as const;

/** Whether an earlier request has begun it. */
function wasDeleting({ seen }: Candidate): boolean {
  return seen.verdict !== "delete" || seen.live.metadata.deletionTimestamp !== undefined;
}

const adopted = { reason: "Moved", message: "Another instance has adopted it." } as const;

/** Undefined when nothing is left to wait for. */
async function requestOne(
  run: PruneRun,
  { item, seen: first }: Candidate,
): Promise<Candidate["seen"] | undefined> {
  let seen: Inspected = first;
  for (let count = 0; count < tries; count += 1) {
    if (seen.verdict === "gone") {
      run.tellGone(item, "pruned");
      return undefined;
    }
    if (seen.verdict === "release") {
      run.tellGone(item, "released", seen.problem);
      return undefined;
    }
    const sent = await requestDelete(run.context, seen.target, seen.live, "Foreground");
    if (sent.outcome === "deleting") return seen;
    if (sent.outcome === "gone") {
      run.tellGone(item, "pruned", { isWritten: true });
      return undefined;
    }
    seen = await inspectObject(run.context, run.kinds, item);
  }
  throw new BowlineError("Conflict", "The object changes so often that it could not be deleted yet.");
}

/** Resolves to those that are still there. Many objects are gone as soon as that was asked for. */
async function lookOnce(run: PruneRun, deleting: readonly Candidate[]): Promise<readonly Candidate[]> {
  const left: Candidate[] = [];
  await run.each(deleting, async (candidate) => {
    const { item, seen } = candidate;
    const { uid, finalizers = [] } = seen.live.metadata;
    const found = wasDeleting(candidate)
      ? ({ outcome: "deleting", finalizers } as const)
      : await lookForGone(run.context, seen.target, uid);
    if (found.outcome !== "deleting") {
      run.tellGone(item, "pruned", { isWritten: true });
      return;
    }
    left.push(candidate);
    run.results.push(itemResult(item, "deleting", { ...deletingProblem(found.finalizers), isWritten: true }));
  });
  return left;
}
