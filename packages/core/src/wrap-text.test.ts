import { expect, test } from "vitest";

import { wrapText } from "./wrap-text.ts";

test("breaks lines between words, behind a margin, and leaves a word alone that is longer than a line", () => {
  expect(wrapText("one two  three\nfour", { columns: 22, indent: 2 })).toEqual(["  one two three four"]);
  expect(wrapText("one two three four five", { columns: 22, indent: 2 })).toEqual([
    "  one two three four",
    "  five",
  ]);
  const long = "x".repeat(40);
  expect(wrapText(`a ${long} b`, { columns: 20, indent: 0 })).toEqual(["a", long, "b"]);
  expect(wrapText("", { columns: 80, indent: 4 })).toEqual([]);
});
