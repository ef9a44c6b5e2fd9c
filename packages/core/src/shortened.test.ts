import { expect, test } from "vitest";

import { shortened } from "./shortened.ts";

test("text that is too long ends with an ellipsis, and never in the middle of a character", () => {
  expect(shortened("short", 5)).toBe("short");
  expect(shortened("longer", 5)).toBe("long…");
  const cut = shortened("😀😀😀", 4);
  expect([cut.length, cut.isWellFormed()]).toEqual([4, true]);
});
