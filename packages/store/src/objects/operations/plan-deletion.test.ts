import { expect, test } from "vitest";

import { withoutReference } from "./plan-deletion.ts";

test("takes a name out of a list and leaves the rest", () => {
  const spec = { placement: { clusters: ["a", "b"] }, prune: true };
  expect(withoutReference(spec, "spec.placement.clusters[]", "a")).toEqual({
    placement: { clusters: ["b"] },
    prune: true,
  });
  expect(spec.placement.clusters).toEqual(["a", "b"]);
});

test("takes out whole items that hold the name", () => {
  const spec = { subjects: [{ user: "editor" }, { group: "editor" }, { user: "viewer" }] };
  expect(withoutReference(spec, "spec.subjects[].user", "editor")).toEqual({
    subjects: [{ group: "editor" }, { user: "viewer" }],
  });
});

test("nothing is left when the list would be empty, or when there is no list", () => {
  expect(withoutReference({ clusters: { names: ["a"] } }, "spec.clusters.names[]", "a")).toBeUndefined();
  expect(withoutReference({ definition: "a" }, "spec.definition", "a")).toBeUndefined();
});

test("a spec that does not have the list stays as it is", () => {
  const spec = { placement: { selector: {} } };
  expect(withoutReference(spec, "spec.placement.clusters[]", "a")).toEqual(spec);
  expect(withoutReference({}, "spec.placement.clusters[]", "a")).toEqual({});
});
