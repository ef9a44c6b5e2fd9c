import { expect, test } from "vitest";

import { fairShare } from "./outcome.ts";

const groupOf = (item: string): string => item.charAt(0);

test.each([
  ["a1 a2 b1", 3, "a1 a2 b1"],
  ["a1 a2 a3 a4 b1 c1", 3, "a1 b1 c1"],
  ["a1 a2 a3 a4 b1 c1", 4, "a1 a2 b1 c1"],
  ["a1 b1 c1 d1", 2, "a1 b1"],
  ["b1 a1 a2 b2 a3", 4, "b1 a1 a2 b2"],
])("of %s, %i are %s", (items, count, shown) => {
  expect(fairShare(items.split(" "), count, groupOf).join(" ")).toBe(shown);
});
