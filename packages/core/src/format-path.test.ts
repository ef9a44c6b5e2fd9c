import { expect, test } from "vitest";

import { formatPath } from "./format-path.ts";

test.each([
  [[], ""],
  [["spec", "placement", "clusters", 0], "spec.placement.clusters[0]"],
  [["metadata", "labels", "app.kubernetes.io/name"], 'metadata.labels["app.kubernetes.io/name"]'],
  [["spec", 'a"b'], String.raw`spec["a\"b"]`],
  [["a\nb"], String.raw`["a\nb"]`],
])("%j is %s", (parts, text) => {
  expect(formatPath(parts)).toBe(text);
});

test("a long key is cut", () => {
  expect(formatPath(["x".repeat(100_000)]).length).toBeLessThan(100);
});
