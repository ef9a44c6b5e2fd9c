import { expect, test } from "vitest";

import { displayWidth } from "./display-width.ts";

test.each([
  ["plain", 5],
  ["", 0],
  ["Grüße", 5],
  ["e\u0301", 1],
  ["日本語", 6],
  ["ｱｲｳ", 3],
  ["ＡＢ", 4],
  ["한국", 4],
  ["👩‍💻", 2],
  ["🇩🇪", 2],
  ["a\u200Bb", 2],
])("%s takes %d columns", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});
