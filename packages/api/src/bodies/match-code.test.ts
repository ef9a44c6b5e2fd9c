import { expect, test } from "vitest";

import { matchCode } from "./match-code.ts";

test("a challenge always has the same code, and another has another", async () => {
  const [one, other] = [await matchCode("a".repeat(43)), await matchCode(`${"a".repeat(42)}b`)];
  expect(one).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/u);
  expect(await matchCode("a".repeat(43))).toBe(one);
  expect(other).not.toBe(one);
});
