import { mergePatch } from "@bowline/api";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  changedPaths,
  changePatch,
  editablePart,
  orderedLike,
  patchOfVersion,
  pathText,
} from "./change-patch.ts";

/** Objects as Kubernetes has them: a merge patch cannot set null, and servers drop it. */
const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer({ min: 0, max: 3 }), fc.boolean());
const { object } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "metadata", "__proto__"), tie("value"), {
    maxKeys: 4,
  }),
}));

describe("The patch of a change", () => {
  test("makes one object of the other, whatever they are", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = changePatch(before, after);
        expect(patch === undefined ? before : mergePatch(before, patch)).toEqual(after);
      }),
    );
  });

  test("is there exactly when they differ, and its fields are those that do", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(changePatch(before, structuredClone(before))).toBeUndefined();
        const changed = new Set(changedPaths(before, after).map(([first]) => first));
        expect(new Set(Object.keys(changePatch(before, after) ?? {}))).toEqual(changed);
      }),
    );
  });

  test("has one field for one field", () => {
    const before = { spec: { replicas: 2, paused: true, template: { image: "a" } }, kind: "Deployment" };
    const after = { spec: { replicas: 3, template: { image: "a" } }, kind: "Deployment" };
    expect(changePatch(before, after)).toEqual({ spec: { replicas: 3, paused: null } });
  });

  test("names the version that it was made from, beside what it changes", () => {
    expect(patchOfVersion({ metadata: { labels: { a: "b" } } }, "7")).toEqual({
      metadata: { labels: { a: "b" }, resourceVersion: "7" },
    });
    expect(patchOfVersion({ spec: {} }, "7")).toEqual({ spec: {}, metadata: { resourceVersion: "7" } });
  });
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
