import { expect, test } from "vitest";

import { unifiedDiff } from "./unified-diff.ts";

const names = { before: "a", after: "b" };
const paint = (_: string, text: string): string => text;

test("two texts that are the same have no diff", () => {
  expect(unifiedDiff("a\n", "a\n", names, paint)).toBe("");
});

test("parts that are far from each other are shown on their own", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
  const changed = lines.with(2, "two\n").with(27, "twenty-seven\n");
  const diff = unifiedDiff(lines.join(""), changed.join(""), names, paint);
  expect(diff).toMatch(/^--- a\n\+\+\+ b\n@@ /u);
  expect(diff.match(/^@@ .*$/gmu)).toEqual(["@@ -1,6 +1,6 @@", "@@ -25,6 +25,6 @@"]);
  expect(diff).toContain("-line 2\n+two\n");
});
