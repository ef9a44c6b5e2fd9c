import { objectText } from "@bowline/store";
import { BowlineError } from "@bowline/core";
import { deleteStages } from "@bowline/manifests";

import { requestDelete, waitUntilGone } from "../cluster/delete-object.ts";
import { orderOf } from "../order/order-annotations.ts";
import { inspectObject, type Candidate, type Inspected } from "./inspect-object.ts";
import { deletingProblem, itemResult } from "./prune-result.ts";
import type { PruneRun } from "./prune-run.ts";

/** One whose status is written all the time is looked at again. */
const tries = 5;
/** How long a stage is waited for. What takes longer is looked at by the next run, and stops nobody. */
const goneLimitMs = 10_000;

/** Deletes objects in the order of their stages and waves, backwards. Rows say so before the first request goes out. */
export async function deleteCandidates(run: PruneRun, going: readonly Candidate[]): Promise<void> {
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
  for (const stage of stages) {
    const waiting: Candidate[] = [];
    await run.each(stage, async (candidate) => {
      const seen = await requestOne(run, candidate);
      if (seen !== undefined) waiting.push({ item: candidate.item, seen });
    });
    await waitForAll(run, waiting);
    await run.forgetGone();
  }
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

async function waitForAll(run: PruneRun, waiting: readonly Candidate[]): Promise<void> {
  const { clock } = run.context;
  const endMs = clock.monotonicMs() + goneLimitMs;
  await run.each(waiting, async ({ item, seen }) => {
    const limitMs = Math.max(0, endMs - clock.monotonicMs());
    const end = await waitUntilGone(run.context, seen.target, seen.live.metadata.uid, limitMs);
    if (end.outcome !== "deleting") {
      run.tellGone(item, "pruned", { isWritten: true });
      return;
    }
    const problem = deletingProblem(end.finalizers);
    run.results.push(itemResult(item, "deleting", { ...problem, isWritten: true }));
    run.retry(new BowlineError("ReconcileWaiting", problem.message));
  });
}
