import type { Program, Row } from "../engine/program.ts";

/** The rows after a name, in the order of names. */
export type ReadRows = (after: string, limit: number) => Program<readonly Row[]>;

export interface PageRows {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A thousand of the largest objects would be gigabytes; a page that is cut short goes on with its cursor. */
const maxPageLength = 16 * 1024 * 1024;
/** How many are in memory before anybody has seen how large they are. */
const rowsAtOnce = 64;

/** Reads up to `limit` rows with a `name` and a `body`; fewer when they are large, but one in any case. */
export function* readPage(read: ReadRows, start: string, limit: number): Program<PageRows> {
  const rows: Row[] = [];
  let length = 0;
  for (let after = start; ;) {
    const wanted = Math.min(rowsAtOnce, limit + 1 - rows.length);
    const found = yield* read(after, wanted);
    for (const row of found) {
      if (rows.length === limit || length >= maxPageLength) return { rows, hasMore: true };
      rows.push(row);
      length += String(row["body"]).length;
    }
    if (found.length < wanted) return { rows, hasMore: false };
    after = String(found.at(-1)?.["name"]);
  }
}
