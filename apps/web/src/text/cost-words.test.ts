import { expect, test } from "vitest";

import { costWords } from "./cost-words.ts";

test.each([
  ["0.34 USD", "0.34 USD an hour, 248.20 USD a month of 730 hours"],
  ["0.00 USD", "0.00 USD an hour, 0.00 USD a month of 730 hours"],
  ["2 EUR", "2 EUR an hour, 1460.00 EUR a month of 730 hours"],
  ["about a lot", "about a lot an hour"],
  ["1e9 USD", "1e9 USD an hour"],
])("%s", (hourly, words) => {
  expect(costWords(hourly)).toBe(words);
});
