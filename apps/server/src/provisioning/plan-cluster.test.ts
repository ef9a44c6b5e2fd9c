import { expect, test } from "vitest";

import { costText } from "./plan-cluster.ts";

test.each([
  [0.3, "0.30 USD"],
  [0, "0.00 USD"],
  // By 730 hours, 192.14 a month: of two digits it would be 189.80.
  [0.2632, "0.2632 USD"],
  [0.004, "0.004 USD"],
  [12.5, "12.50 USD"],
])("%d an hour is told as %s", (amount, text) => {
  expect(costText({ amount, currency: "USD" })).toBe(text);
});

test("what nobody knows is not told", () => {
  expect(costText(undefined)).toBeUndefined();
});
