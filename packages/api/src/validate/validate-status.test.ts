import { describe, expect, expectTypeOf, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { kinds } from "../kinds/index.ts";
import { minimalBodies, returnedObject } from "../testing/samples.ts";
import { initialStatus, validateStatus } from "./validate-status.ts";

const ready = {
  type: "Ready",
  status: "True",
  reason: "AgentConnected",
  message: "",
  lastTransitionTime: "2026-01-31T12:00:00Z",
  observedGeneration: 1,
};

describe("validateStatus", () => {
  test("takes a status with or without the rest of the object", () => {
    const status = { observedGeneration: 1, conditions: [ready], kubernetesVersion: "v1.36.2" };
    expect(validateStatus(Cluster, { status })).toEqual({ ok: true, status, resourceVersion: undefined });
    const stored = returnedObject(Cluster, { metadata: { name: "prod" }, spec: {} });
    expect(validateStatus(Cluster, { ...stored, status })).toEqual({
      ok: true,
      status,
      resourceVersion: "42",
    });
  });

  test.each(minimalBodies)("takes back the status of a new %o", (kind, body) => {
    expect(validateStatus(kind, returnedObject(kind, body)).ok).toBe(true);
  });

  test("refuses two conditions of one type", () => {
    expect(validateStatus(Cluster, { status: { conditions: [ready, ready] } })).toEqual({
      ok: false,
      problems: [{ path: "status.conditions[1]", message: "has the same type as an item before it" }],
    });
  });

  test("refuses a body without a status", () => {
    expect(validateStatus(Cluster, {})).toMatchObject({
      problems: [{ path: "status", message: "is required" }],
    });
  });

  test("knows the type of what it accepted", () => {
    const result = validateStatus(Cluster, { status: {} });
    if (result.ok) expectTypeOf(result.status.agent?.rttMs).toEqualTypeOf<number | undefined>();
    expect(result.ok).toBe(true);
  });
});

test.each(kinds)("the first status of a $kind has no conditions yet", (kind) => {
  expect(initialStatus(kind)).toMatchObject({ conditions: [] });
});
