import { describe, expect, test } from "vitest";

import { effectiveChanges, overwrittenKeys, parseMetadataArguments } from "./label.ts";

describe("parseMetadataArguments", () => {
  test("tells objects from changes", () => {
    expect(parseMetadataArguments(["cluster/a", "a.b/c=d", "cluster/b", "e-", "empty=", "x=y=z-"])).toEqual({
      resources: ["cluster/a", "cluster/b"],
      changes: { "a.b/c": "d", e: null, empty: "", x: "y=z-" },
    });
  });

  test.each([
    [["cluster", "a"], "Say what to change"],
    [["cluster", "a", "=b"], "«=b» has no key"],
    [["cluster", "a", "-"], "«-» has no key"],
    [["cluster", "a", "b=c", "b-"], "«b-» changes a key that another argument changes too"],
  ])("refuses %j", (args, message) => {
    expect(() => parseMetadataArguments(args)).toThrow(message);
  });
});

test("only what makes a difference is changed, and only another value is overwritten", () => {
  const current = { same: "a", other: "b", gone: "c" };
  const changes = { same: "a", other: "x", gone: null, missing: null, fresh: "y", constructor: "z" };
  expect(effectiveChanges(changes, current)).toEqual({
    other: "x",
    gone: null,
    fresh: "y",
    constructor: "z",
  });
  expect(overwrittenKeys(changes, current)).toEqual(["other"]);
});
