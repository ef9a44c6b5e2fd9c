import { expect, test } from "vitest";

import { heldOrder, isSettled } from "./held-order.ts";

test("an order that did not change is settled", () => {
  expect(isSettled(heldOrder(["a", "b"], ["a", "b"]))).toBe(true);
});

test("what has come, gone and moved is counted, and the rows stay as they are", () => {
  expect(heldOrder(["a", "b", "c", "d"], ["c", "b", "a", "e", "f"])).toEqual({
    keys: ["a", "b", "c", "d"],
    come: 2,
    gone: 1,
    moved: 2,
  });
});
