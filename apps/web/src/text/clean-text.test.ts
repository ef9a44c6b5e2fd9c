import { expect, test } from "vitest";

import { cleanText } from "./clean-text.ts";

test.each([
  ["web-1", "web-1"],
  ["gr\u00fc\u00dfe \u4f60\u597d \u{1F600}", "gr\u00fc\u00dfe \u4f60\u597d \u{1F600}"],
  ["a\u001b[31mred", "a\u241b[31mred"],
  ["line\nline\ttab\u007f", "line\u240aline\u2409tab\u2421"],
  ["c1\u0085", "c1\ufffd"],
  ["user\u202egnp.exe", "user\ufffdgnp.exe"],
  ["zero\u200bwidth\ufeff", "zero\ufffdwidth\ufffd"],
  ["half \ud83d", "half \ufffd"],
])("%j is shown as %j", (text, shown) => {
  expect(cleanText(text)).toBe(shown);
});

test("long text is cut, and says how long it is", () => {
  expect(cleanText("x".repeat(5_000))).toBe(`${"x".repeat(2_000)}… (5000 characters)`);
});
