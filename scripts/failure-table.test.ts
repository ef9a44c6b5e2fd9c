import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

const page = new URL("../docs/delivery-failures.md", import.meta.url);
const text = readFileSync(page, "utf8");
const rows = text.split("\n").filter((line) => /^\| *\d+ *\|/u.test(line));

test("the table of failures of delivery has every case once, in order", () => {
  const numbers = rows.map((row) => Number(row.split("|")[1]));
  expect(numbers).toEqual(Array.from({ length: 44 }, (_, at) => at + 1));
});

test("every case names files, and all of them are there", () => {
  const linked = rows.map((row) => Array.from(row.matchAll(/\]\(([^)]+)\)/gu), ([, path = ""]) => path));
  expect(linked.filter((paths) => paths.length === 0)).toEqual([]);
  const missing = linked.flat().filter((path) => !existsSync(new URL(path, page)));
  expect(missing).toEqual([]);
});
