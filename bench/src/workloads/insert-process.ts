/**
 * The same rows without a server: `insert-process.ts SQLITE_FILE|POSTGRES_URL`. Takes the events out of a database that a
 * server has filled, and puts them back, so many in a transaction as a batch of a report has.
 */
import { systemClock } from "@bowline/core";
import { openEngine } from "@bowline/store";

import { databaseAt } from "../api/database-at.ts";
import { answerCommands } from "../measure-process.ts";

const rowsPerTransaction = 500;

type Found = readonly Readonly<Record<string, unknown>>[];
type EventRow = Readonly<Record<string, string | number | null>>;

interface Select {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

answerCommands({
  /** Rows a second. */
  insert: async (): Promise<number> => {
    const engine = openEngine(databaseAt(process.argv[2] ?? ""), systemClock);
    const found = await engine.read(function* (): Generator<Select, Found, Found> {
      return yield { sql: "select * from events", parameters: [] };
    });
    const rows = found as readonly EventRow[];
    await engine.commit(function* () {
      yield { sql: "delete from events", parameters: [] };
    });
    const columns = Object.keys(rows[0] ?? {});
    const startMs = performance.now();
    for (let at = 0; at < rows.length; at += rowsPerTransaction) {
      const part = rows.slice(at, at + rowsPerTransaction);
      await engine.commit(function* () {
        yield { table: "events", action: "insert", columns, rows: part };
      });
    }
    const perSecond = (rows.length * 1000) / (performance.now() - startMs);
    await engine.close();
    return perSecond;
  },
});
