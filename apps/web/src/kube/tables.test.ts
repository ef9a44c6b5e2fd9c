import { expect, test } from "vitest";

import { TableReader, type TableRow } from "./tables.ts";

function rowsOf(columnDefinitions: unknown, rows: unknown): TableRow[] {
  return [...new TableReader().rowsOf({ kind: "Table", columnDefinitions, rows })].map(([, row]) => row);
}

const object = { metadata: { name: "till", uid: "u1" } };

test("a column without a name keeps its place, so that cells stay with their columns", () => {
  const columns = [{ name: "Name" }, null, { name: 7 }, { name: "" }, { name: "Status" }];
  const [row] = rowsOf(columns, [{ cells: ["till", 1, 2, 3, "Running"], object }]);
  expect(row?.columns.map(({ name }) => name)).toEqual(["Name", "(2)", "(3)", "(4)", "Status"]);
  expect(row?.cells[row.columns.findIndex(({ name }) => name === "Status")]).toBe("Running");
});

test("columns of the same name are told apart", () => {
  const [row] = rowsOf(
    ["A (3)", "A", "A", "A (2)"].map((name) => ({ name })),
    [{ cells: [], object }],
  );
  expect(new Set(row?.columns.map(({ name }) => name)).size).toBe(4);
});

test("a table has no more columns than a page can draw", () => {
  const columns = Array.from({ length: 100_000 }, (_, index) => ({ name: `c${index}` }));
  expect(rowsOf(columns, [{ cells: [], object }])[0]?.columns).toHaveLength(100);
});

test("rows that are none are left out", () => {
  const rows = [null, "row", { cells: "none" }, { cells: [], object: { metadata: null } }, { object }];
  expect(rowsOf([{ name: "Name" }], rows).map(({ metadata }) => metadata.name)).toEqual(["till"]);
});
