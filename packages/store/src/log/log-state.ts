import type { Compilable } from "kysely";

import type { Engine } from "../engine/engine.ts";
import type { RowOf } from "../engine/tables.ts";
import { firstRowOf, run, type Transaction } from "../engine/transaction.ts";

/** The rows of `store_state`: how far each log is. Migrations have inserted them. */
export const logIds = { changes: 1, events: 2, views: 3 } as const;

type LogId = (typeof logIds)[keyof typeof logIds];

/** The query for how far a log is. */
export function logState({ queries }: Pick<Engine, "queries">, log: LogId): Compilable<RowOf<"store_state">> {
  return queries.selectFrom("store_state").selectAll().where("id", "=", log);
}

/**
 * Takes the next numbers of a log and returns the one before them. Also a lock until the commit: numbers become visible
 * in their order.
 */
export function* takeNumbers(
  { queries }: Pick<Engine, "queries">,
  log: LogId,
  count: number,
): Transaction<number> {
  const counted = yield* firstRowOf(
    queries
      .updateTable("store_state")
      .set((eb) => ({ revision: eb("revision", "+", count) }))
      .where("id", "=", log)
      .returning("revision"),
  );
  return (counted?.revision ?? 0) - count;
}

/** Marks everything up to a number as forgotten, for the transaction that forgets it. */
export function* markForgotten(
  { queries }: Pick<Engine, "queries">,
  log: LogId,
  upTo: number,
): Transaction<void> {
  yield* run(
    queries
      .updateTable("store_state")
      .set({ compacted: upTo })
      .where("id", "=", log)
      .where("compacted", "<", upTo),
  );
}
