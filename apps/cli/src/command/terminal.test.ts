import { expect, test } from "vitest";

import { createPaint } from "./terminal.ts";

test.each([
  ["auto", true, {}, true],
  ["auto", false, {}, false],
  ["auto", true, { NO_COLOR: "1" }, false],
  ["auto", true, { NO_COLOR: "" }, true],
  ["auto", true, { TERM: "dumb" }, false],
  ["always", false, { NO_COLOR: "1" }, true],
  ["never", true, {}, false],
] as const)("--color %s, terminal %s, %j: %s", (choice, isTty, environment, colored) => {
  const text = createPaint({ choice, isTty, environment })("red", "x");
  expect(text).toBe(colored ? "\u001B[31mx\u001B[39m" : "x");
});
