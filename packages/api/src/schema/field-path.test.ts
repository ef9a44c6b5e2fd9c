import { describe, expect, test } from "vitest";

import { WorkloadInstance } from "../kinds/workload-instance.ts";
import { jsonPathOf, parseFieldPath, schemaAt, valuesAt } from "./field-path.ts";

const item = {
  metadata: { name: "web" },
  spec: { placement: { clusters: ["a", "b"] }, subjects: [{ user: "editor" }, { group: "ops" }] },
  status: {
    conditions: [
      { type: "Stalled", status: "False" },
      { type: "Ready", status: "True", reason: "AllHealthy" },
    ],
  },
};

test.each([
  ["metadata.name", ["web"], ".metadata.name"],
  ["spec.placement.clusters[]", ["a", "b"], ".spec.placement.clusters[*]"],
  ["spec.subjects[].user", ["editor"], ".spec.subjects[*].user"],
  ["status.conditions.Ready", ["True"], '.status.conditions[?(@.type=="Ready")].status'],
  ["status.conditions.Ready.reason", ["AllHealthy"], '.status.conditions[?(@.type=="Ready")].reason'],
  ["status.conditions.Other", [], '.status.conditions[?(@.type=="Other")].status'],
  ["spec.nothing.here", [], ".spec.nothing.here"],
])("%s leads to %j", (text, values, jsonPath) => {
  const path = parseFieldPath(text);
  expect(valuesAt(path, item)).toEqual(values);
  expect(jsonPathOf(path)).toBe(jsonPath);
});

test("a path does not lead into prototypes", () => {
  expect(valuesAt(parseFieldPath("metadata.constructor.name"), item)).toEqual([]);
});

describe("schemaAt", () => {
  test.each([
    ["spec.placement.clusters[]", "string"],
    ["spec.parameters", "object"],
    ["spec.parameters.image", "string"],
    ["status.conditions.Ready.lastTransitionTime", "string"],
  ])("%s is a %s", (text, type) => {
    expect(schemaAt(parseFieldPath(text), WorkloadInstance.schemas.read)?.type).toBe(type);
  });

  test.each(["spec.replicas", "spec.definition.name", "status.conditions.Ready.phase", "spec.toString"])(
    "%s is not in the schema",
    (text) => {
      expect(schemaAt(parseFieldPath(text), WorkloadInstance.schemas.read)).toBeUndefined();
    },
  );
});
