import { expect, test } from "vitest";

import { csvOf } from "./csv.ts";

test("quotes what would end a cell, and nothing else", () => {
  expect(
    csvOf([
      ["a", "b c"],
      ['say "hi"', "x,y", "two\nlines"],
    ]),
  ).toBe('a,b c\r\n"say ""hi""","x,y","two\nlines"\r\n');
});

test.each(["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx"])("%j is no formula", (cell) => {
  expect(csvOf([[cell]])).toContain(`'${cell}`);
});
