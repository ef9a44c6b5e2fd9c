import { expect, test } from "vitest";

import { leastWidthRem, selectRows, type TableColumn } from "./table-rows.ts";

interface Pod {
  readonly name: string;
  readonly restarts: number;
}

const columns: TableColumn<Pod>[] = [
  { header: "NAME", text: ({ name }) => name },
  { header: "RESTARTS", text: ({ restarts }) => String(restarts), sortKey: ({ restarts }) => restarts },
];
const pods = new Map(
  [
    { name: "web-10", restarts: 2 },
    { name: "web-2", restarts: 11 },
    { name: "db-0", restarts: 0 },
  ].map((pod) => [pod.name, pod]),
);

test("rows are sorted by name, with numbers as numbers", () => {
  expect(selectRows(pods, { columns, filter: "", sort: undefined })).toEqual(["db-0", "web-2", "web-10"]);
});

test("rows are sorted by a column, both ways", () => {
  const by = (descending: boolean): string[] =>
    selectRows(pods, { columns, filter: "", sort: { header: "RESTARTS", descending } });
  expect(by(false)).toEqual(["db-0", "web-10", "web-2"]);
  expect(by(true)).toEqual(["web-2", "web-10", "db-0"]);
});

test.each([
  ["WEB", ["web-2", "web-10"]],
  ["web 11", ["web-2"]],
  ["!web", ["db-0"]],
  ["nothing", []],
])("the filter %j leaves %j", (filter, left) => {
  expect(selectRows(pods, { columns, filter, sort: undefined })).toEqual(left);
});

test("case, accents and leading zeros do not matter for the order; empty cells come first", () => {
  const names = ["Zeta", "éclair", "web-010", "web-9", "", "eclipse", "alpha"];
  const items = new Map(names.map((name) => [name, { name, restarts: 0 }]));
  expect(selectRows(items, { columns, filter: "", sort: undefined })).toEqual([
    "",
    "alpha",
    "éclair",
    "eclipse",
    "web-9",
    "web-010",
    "Zeta",
  ]);
});

test("a row that has changed is sorted and filtered by what it is now", () => {
  const items = new Map(pods);
  const by = (filter: string): string[] =>
    selectRows(items, { columns, filter, sort: { header: "RESTARTS", descending: true } });
  expect(by("11")).toEqual(["web-2"]);
  items.set("db-0", { name: "db-0", restarts: 1100 });
  expect(by("11")).toEqual(["db-0", "web-2"]);
});

test("cells of rows that have not changed are not asked for again", () => {
  let asked = 0;
  const counting: TableColumn<Pod>[] = [{ header: "NAME", text: ({ name }) => `${(asked += 1)} ${name}` }];
  for (const filter of ["web", "web-", "db"])
    selectRows(pods, { columns: counting, filter, sort: undefined });
  // Once for the filter and once for the order, in which one of them was never asked for.
  expect(asked).toBeLessThanOrEqual(2 * pods.size);
});

test("a table is at least as wide as its columns need", () => {
  expect(leastWidthRem([{ width: "minmax(9rem, 1.5fr)" }, { width: "5.5rem" }, {}, { width: "1fr" }])).toBe(
    20.5,
  );
});
