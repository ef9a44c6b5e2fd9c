import { existsSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

describe.each([
  ["delivery", 44],
  ["installation", 27],
  ["gateway", 49],
  ["provider", 26],
])("the table of failures of %s", (subject, count) => {
  const page = new URL(`../docs/${subject}-failures.md`, import.meta.url);
  const rows = readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => /^\| *\d+ *\|/u.test(line));

  test("has every case once, in order", () => {
    const numbers = rows.map((row) => Number(row.split("|")[1]));
    expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  });

  test("names files for every case, and all of them are there", () => {
    const linked = rows.map((row) => Array.from(row.matchAll(/\]\(([^)]+)\)/gu), ([, path = ""]) => path));
    expect(linked.filter((paths) => paths.length === 0)).toEqual([]);
    const missing = linked.flat().filter((path) => !existsSync(new URL(path, page)));
    expect(missing).toEqual([]);
  });
});
