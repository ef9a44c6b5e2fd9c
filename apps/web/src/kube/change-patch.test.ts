import * as fc from "fast-check";
import { expect, test } from "vitest";

import { changedPaths, editablePart, isSame, orderedLike, pathText } from "./change-patch.ts";

const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer({ min: 0, max: 3 }), fc.boolean());
const { object } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "metadata", "__proto__"), tie("value"), {
    maxKeys: 4,
  }),
}));

test("two objects are the same when no path of them has changed", () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      expect(isSame(before, structuredClone(before))).toBe(true);
      expect(isSame(before, after)).toBe(changedPaths(before, after).length === 0);
    }),
  );
});

test("paths that have changed are the deepest ones, and are written as people do", () => {
  const before = { spec: { containers: [{ name: "a", image: "1" }], x: 1 } };
  const after = { spec: { containers: [{ name: "a", image: "2" }, { name: "b" }] }, "app.io/z": true };
  expect(changedPaths(before, after).map(pathText)).toEqual([
    "spec.containers[0].image",
    "spec.containers[1]",
    "spec.x",
    '["app.io/z"]',
  ]);
});

test("an object is put into the order of another without being changed", () => {
  fc.assert(
    fc.property(object, object, (value, example) => {
      expect(orderedLike(value, example)).toEqual(value);
    }),
  );
  const ordered = orderedLike({ c: [{ y: 1, x: 2 }], b: 1, a: 2 }, { a: 0, c: [{ x: 0, y: 0 }] });
  expect(JSON.stringify(ordered)).toBe('{"a":2,"c":[{"x":2,"y":1}],"b":1}');
});

test("what the cluster alone writes is not there to be edited", () => {
  const part = editablePart({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      uid: "u",
      resourceVersion: "7",
      generation: 2,
      creationTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [],
      labels: { app: "web" },
    },
    spec: { a: 1 },
    status: { phase: "Running" },
  });
  expect(part).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", labels: { app: "web" } },
    spec: { a: 1 },
  });
});
