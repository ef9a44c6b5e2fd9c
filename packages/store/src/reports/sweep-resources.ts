import { deleteRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { cursorAfter, lockCursor } from "./cursors.ts";
import type { ReportKey } from "./report.ts";

/** One transaction looks at so many; SQLite does nothing else in the meantime. */
const pageSize = 500;

/**
 * An epoch in which everything that exists has been reported forgets what earlier ones reported and this one did not, in
 * steps. The number is stored last: whatever dies in between, the agent says `complete` again, and the rest goes then.
 * Resolves to false when it was complete before.
 */
export async function completeEpoch(engine: Engine, key: ReportKey, sequence: number): Promise<boolean> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const from: string = after;
    const step: SweepStep = await engine.commit(() => sweep(engine, key, sequence, from));
    if (step.isKnown) return false;
    after = step.last;
  }
  return true;
}

interface SweepStep {
  readonly isKnown: boolean;
  /** Undefined after the last page. */
  readonly last: string | undefined;
}

function* sweep(
  { queries }: Engine,
  key: ReportKey,
  sequence: number,
  after: string,
): Transaction<SweepStep> {
  const cursor = yield* lockCursor("workloads", key.clusterId);
  const completed = cursorAfter(key, sequence, cursor);
  if (completed === undefined) return { isKnown: true, last: undefined };
  const page = yield* rowsOf(
    queries
      .selectFrom("resources")
      .selectAll()
      .where("cluster_id", "=", key.clusterId)
      .where("uid", ">", after)
      .orderBy("uid")
      .limit(pageSize),
  );
  const old = page.filter(({ epoch }) => epoch < key.epoch);
  yield* run(deleteRows("resources", old));
  const isLast = page.length < pageSize;
  const size = old.reduce((sum, { facts }) => sum + facts.length, 0);
  const next = {
    ...completed,
    ...(isLast ? { complete: 1 } : { sequence: sequence - 1 }),
    resources: completed.resources - old.length,
    facts_size: completed.facts_size - size,
  };
  if (isLast || old.length > 0) yield* run(upsertRows("report_cursors", [next]));
  return { isKnown: false, last: isLast ? undefined : page.at(-1)?.uid };
}
