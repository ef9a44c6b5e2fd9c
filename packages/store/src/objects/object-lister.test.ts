import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Row } from "../engine/transaction.ts";
import { readPage, type PageRows, type ReadRows } from "./object-lister.ts";

/** Runs a page over rows in memory, counting the reads. */
function page(rows: readonly Row[], start: string, limit: number): PageRows & { readonly reads: number } {
  let reads = 0;
  // oxlint-disable-next-line require-yield -- these rows come without a statement
  const read: ReadRows = function* (after, count) {
    reads += 1;
    return rows.filter((row) => String(row["name"]) > after).slice(0, count);
  };
  const step = readPage(read, start, limit).next();
  if (step.done !== true) throw new Error("a statement");
  return { ...step.value, reads };
}

const small = (index: number): Row => ({ name: String(index).padStart(6, "0"), body: "{}" });

test("reads exactly the page, wherever the reads in between end", () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 200 }), fc.nat(300), (total, limit, skipped) => {
      const rows = Array.from({ length: total }, (_, index) => small(index));
      const start = skipped === 0 ? "" : String(small(skipped - 1)["name"]);
      const { rows: read, hasMore } = page(rows, start, limit);
      expect(read).toEqual(rows.slice(skipped, skipped + limit));
      expect(hasMore).toBe(skipped + limit < total);
    }),
  );
});

test("ends a page of large objects early, but not before the first", () => {
  const body = "x".repeat(9 * 1024 * 1024);
  const rows = Array.from({ length: 5 }, (_, index) => ({ ...small(index), body }));
  expect(page(rows, "", 1_000)).toMatchObject({ rows: rows.slice(0, 2), hasMore: true, reads: 1 });
  expect(page(rows, "000003", 1_000)).toMatchObject({ rows: rows.slice(4), hasMore: false });
  const huge = { ...small(0), body: "x".repeat(17 * 1024 * 1024) };
  expect(page([huge, small(1)], "", 10)).toMatchObject({ rows: [huge], hasMore: true });
});
