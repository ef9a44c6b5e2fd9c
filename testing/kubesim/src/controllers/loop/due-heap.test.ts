import * as fc from "fast-check";
import { expect, test } from "vitest";

import { DueHeap } from "./due-heap.ts";

test("items leave by their time, and in the order they came where times are equal", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const heap = new DueHeap<number>();
      for (const [index, dueMs] of times.entries()) heap.push(dueMs, index);
      const left: number[] = [];
      for (let item = heap.popDue(100); item !== undefined; item = heap.popDue(100)) left.push(item);
      const wanted = times.map((dueMs, index) => ({ dueMs, index })).toSorted((a, b) => a.dueMs - b.dueMs);
      expect(left).toEqual(wanted.map(({ index }) => index));
    }),
  );
});

test("what is not due stays", () => {
  const heap = new DueHeap<string>();
  heap.push(10, "later");
  heap.push(5, "soon");
  expect(heap.popDue(7)).toBe("soon");
  expect(heap.popDue(7)).toBeUndefined();
  expect(heap.nextDueMs).toBe(10);
});
