import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { jsonPatch, patchOfVersion } from "./json-patch.ts";
import { applyJsonPatch } from "./testing/apply-json-patch.ts";

const scalar = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  fc.constant(null),
);
const { object } = fc.letrec<{ value: unknown; object: Record<string, unknown>; items: unknown[] }>(
  (tie) => ({
    value: fc.oneof({ depthSize: "small" }, scalar, tie("items"), tie("object")),
    object: fc.dictionary(fc.constantFrom("a", "b", "name", "c/d", "e~f", "__proto__"), tie("value"), {
      maxKeys: 4,
    }),
    // Lists as Kubernetes has them, whose items have names, beside lists of anything.
    items: fc.oneof(
      fc.array(tie("value"), { maxLength: 4 }),
      fc.uniqueArray(
        fc.record(
          { name: fc.constantFrom("x", "y", "z"), image: scalar, env: tie("value") },
          { requiredKeys: ["name"] },
        ),
        { selector: ({ name }) => name, maxLength: 3 },
      ),
    ),
  }),
);

const containers = (...images: readonly string[]) => ({
  spec: { containers: images.map((image) => ({ name: image[0], image })) },
});

describe("The JSON patch of a change", () => {
  test("makes one object of the other, whatever they are", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(applyJsonPatch(before, jsonPatch(before, after))).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is empty when nothing has changed", () => {
    fc.assert(
      fc.property(object, (before) => {
        expect(jsonPatch(before, structuredClone(before))).toEqual([]);
      }),
    );
  });

  test("changes one container and leaves the others to whoever changes them", () => {
    const patch = jsonPatch(containers("a:1", "b:1"), containers("a:1", "b:2"));
    expect(patch).toEqual([
      { op: "test", path: "/spec/containers/1/name", value: "b" },
      { op: "test", path: "/spec/containers/1/image", value: "b:1" },
      { op: "replace", path: "/spec/containers/1/image", value: "b:2" },
    ]);
    expect(applyJsonPatch(containers("a:9", "b:1"), patch)).toEqual(containers("a:9", "b:2"));
  });

  test("is refused where somebody else has changed the same, or put another item into its place", () => {
    const patch = jsonPatch(containers("a:1", "b:1"), containers("a:1", "b:2"));
    expect(() => applyJsonPatch(containers("a:1", "b:7"), patch)).toThrow("/spec/containers/1/image");
    expect(() => applyJsonPatch(containers("b:1", "c:1"), patch)).toThrow("/spec/containers/1/name");
    expect(() => applyJsonPatch(containers("a:1"), patch)).toThrow("There is no item 1");
    const removal = jsonPatch(containers("a:1", "b:1"), containers("a:1"));
    expect(() => applyJsonPatch(containers("a:1", "b:7"), removal)).toThrow("/spec/containers/1");
  });

  test("adds and removes items by their names, and replaces a list that is in another order", () => {
    expect(jsonPatch(containers("a:1", "b:1"), containers("c:1", "b:1"))).toMatchObject([
      { op: "test", path: "/spec/containers/0" },
      { op: "remove", path: "/spec/containers/0" },
      { op: "add", path: "/spec/containers/0", value: { name: "c" } },
    ]);
    expect(jsonPatch(containers("a:1", "b:1"), containers("b:1", "a:1"))).toMatchObject([
      { op: "test", path: "/spec/containers" },
      { op: "replace", path: "/spec/containers" },
    ]);
  });

  test("tests nothing that the page was not shown", () => {
    const before = { data: { password: "(hidden)", user: "(hidden)" } };
    expect(jsonPatch(before, { data: { user: "bmV1" } })).toEqual([
      { op: "remove", path: "/data/password" },
      { op: "replace", path: "/data/user", value: "bmV1" },
    ]);
    expect(jsonPatch(before, {})).toEqual([{ op: "remove", path: "/data" }]);
  });

  test("is written with the version that it was made from", () => {
    const patch = jsonPatch({ a: 1 }, { a: 2 });
    expect(patchOfVersion(patch, "7").at(-1)).toEqual({
      op: "replace",
      path: "/metadata/resourceVersion",
      value: "7",
    });
    expect(patchOfVersion(patch, undefined)).toEqual(patch);
  });
});
