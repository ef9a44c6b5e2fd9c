import { BowlineError } from "@bowline/core";
import type { InventoryItem } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import type { HeldPrune, ObjectProblem, ObjectResult } from "../object-result.ts";
import type { KindTable } from "../render/kind-table.ts";
import { deleteCandidates } from "./delete-candidates.ts";
import { releaseCandidate } from "./release-object.ts";
import { inspectObject, type Candidate } from "./inspect-object.ts";
import { itemResult } from "./prune-result.ts";
import { PruneRun } from "./prune-run.ts";

export interface PruneOptions {
  /** Whether so many may go. */
  readonly guard?: (going: number) => HeldPrune | undefined;
  /** The whole instance goes: what is not deleted is released, and is nobody's afterwards. */
  readonly releasesRest?: boolean;
  /** Nothing is deleted at all. */
  readonly retains?: boolean;
  /** How long runs before have waited for the objects that are still being deleted. */
  readonly waitedMs?: number | undefined;
}

export interface PruneResult {
  readonly results: readonly ObjectResult[];
  readonly held?: HeldPrune | undefined;
  readonly retries: readonly BowlineError[];
}

/** Deletes what is not wanted any more, unless it says otherwise itself, or is somebody else's by now. */
export async function pruneObjects(
  context: EngineContext,
  kinds: KindTable,
  items: readonly InventoryItem[],
  { guard, retains = false, releasesRest = false, waitedMs = 0 }: PruneOptions = {},
): Promise<PruneResult> {
  const run = new PruneRun(context, kinds);
  const candidates: Candidate[] = [];
  const seekers = items.map((item) => ({ item }));
  await run.each(seekers, async ({ item }) => {
    const seen = await inspectObject(context, kinds, item).catch((error: unknown) => {
      // What stays as it is can be let go of without a look.
      if (!retains || context.signal.aborted || BowlineError.from(error).retryable) throw error;
      return undefined;
    });
    if (seen === undefined) run.tellGone(item, "released", unseen);
    else if (seen.verdict === "gone") run.tellGone(item, "pruned");
    else candidates.push({ item, seen });
  });
  const isGoing = ({ seen }: Candidate): boolean => seen.verdict === "delete" && !retains;
  const isKept = ({ seen }: Candidate): boolean => seen.verdict === "keep" && !releasesRest;
  await keep(context, run, candidates.filter(isKept));
  const others = candidates.filter((candidate) => !isGoing(candidate) && !isKept(candidate));
  await run.each(others, (candidate) => releaseCandidate(run, candidate));
  await run.forgetGone();
  const going = candidates.filter(isGoing);
  // What was let through before is on its way already.
  const held = guard?.(going.filter(({ item }) => item.state !== "pruning").length);
  if (held === undefined) await deleteCandidates(run, going, waitedMs);
  else for (const { item } of going) run.results.push(itemResult(item, "held", heldProblem(held)));
  return { results: run.results, retries: run.retries, held };
}

const unseen: ObjectProblem = {
  reason: "Retained",
  message: "It stays in the cluster as it is; nobody may look at it to take our label off.",
};

async function keep(
  { inventory, key, fence }: EngineContext,
  run: PruneRun,
  kept: readonly Candidate[],
): Promise<void> {
  if (kept.length === 0) return;
  const items = kept.map(({ item }) => item);
  await inventory.kept(key, items, { fence });
  for (const { item, seen } of kept) {
    run.results.push(itemResult(item, "kept", seen.verdict === "delete" ? {} : seen.problem));
  }
}

function heldProblem({ count, total, limit }: HeldPrune): ObjectProblem {
  const what = count === total ? "everything" : `${count} of ${total} objects, more than ${limit},`;
  const message = `This revision would delete ${what} in this cluster; approve it if that is meant.`;
  return { reason: "PruneHeld", message };
}
