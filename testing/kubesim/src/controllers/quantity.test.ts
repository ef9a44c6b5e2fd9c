import { expect, test } from "vitest";

import { amountOf } from "./quantity.ts";

test.each([
  ["250m", 0.25],
  ["2", 2],
  ["1.5", 1.5],
  ["64Ki", 65_536],
  ["1Gi", 1_073_741_824],
  ["1G", 1e9],
  ["1e3", 1000],
  [3, 3],
  [undefined, 0],
  ["lots", 0],
  ["5Qi", 0],
])("%s is %s", (quantity, value) => {
  expect(amountOf(quantity)).toBe(value);
});
