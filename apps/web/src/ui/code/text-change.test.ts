import * as fc from "fast-check";
import { expect, test } from "vitest";

import { changeBetween, foldRange } from "./text-change.ts";

test("the change between two texts makes one of the other, and is none for the same text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = changeBetween(before, after);
      const changed =
        change === undefined
          ? before
          : before.slice(0, change.from) + change.insert + before.slice(change.to);
      expect(changed).toBe(after);
      expect(change === undefined).toBe(before === after);
    }),
  );
});

const text = [
  "metadata:",
  "  managedFields:",
  "    - manager: a",
  "      b: 1",
  "  name: x",
  "status:",
  "  c: 1",
  "",
].join("\n");

test.each([
  ["status:", "\n  c: 1"],
  ["  managedFields:", "\n    - manager: a\n      b: 1"],
])("what belongs to %j is folded", (field, folded) => {
  const range = foldRange(text, field);
  expect(text.slice(range?.from, range?.to)).toBe(folded);
});

test("a field that is not there, or has nothing in it, is not folded", () => {
  expect(foldRange(text, "spec:")).toBeUndefined();
  expect(foldRange("status:\nspec:\n", "status:")).toBeUndefined();
});
