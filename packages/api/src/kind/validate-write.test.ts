import { describe, expect, expectTypeOf, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { Credential } from "../kinds/credential.ts";
import { kinds } from "../kinds/kinds.ts";
import { WorkloadInstance } from "../kinds/workload-instance.ts";
import { minimalBodies, minimalSpecs, returnedObject } from "../testing/samples.ts";
import { checkUpdate, initialStatus, validateStatus, validateWrite } from "./validate-write.ts";

const instance = { metadata: { name: "web" }, spec: minimalSpecs["WorkloadInstance"] };

function problemsOf(result: ReturnType<typeof validateWrite>): string[] {
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

describe("a body", () => {
  test("comes back as what the client decided, with defaults", () => {
    expect(validateWrite(WorkloadInstance, instance)).toEqual({
      ok: true,
      object: {
        apiVersion: "bowline.dev/v1",
        kind: "WorkloadInstance",
        metadata: { name: "web", labels: {}, annotations: {} },
        spec: {
          definition: "web",
          placement: { clusters: ["prod-eu-1"] },
          namespace: "default",
          parameters: {},
          prune: true,
          pruneLimit: { count: 10, percent: 25 },
          deletionPolicy: "delete",
          conflicts: "takeover",
          drift: "correct",
          ignore: [],
        },
      },
      resourceVersion: undefined,
    });
  });

  test.each(minimalBodies)("of the least $kind is accepted", (kind, body) => {
    expect(problemsOf(validateWrite(kind, body, { creating: true }))).toEqual([]);
  });

  test("is not changed", () => {
    const body = structuredClone(instance);
    validateWrite(WorkloadInstance, body, { name: "web" });
    expect(body).toEqual(instance);
  });

  test("may be an object as it was read: its resourceVersion is a condition, the rest of the server's is ignored", () => {
    const stored = returnedObject(WorkloadInstance, instance);
    const result = validateWrite(WorkloadInstance, { ...stored, status: { anything: ["at all"] } });
    expect(result).toMatchObject({ ok: true, resourceVersion: "42" });
    expect(result.ok && Object.keys(result.object.metadata)).toEqual(["name", "labels", "annotations"]);
    expect(result.ok && result.object).not.toHaveProperty("status");
  });

  test.each([
    ["another kind", { ...instance, kind: "Cluster" }, "kind must be WorkloadInstance"],
    ["another version", { ...instance, apiVersion: "v2" }, "apiVersion must be bowline.dev/v1"],
    ["no spec", { metadata: { name: "web" } }, "spec is required"],
    ["no metadata", { spec: instance.spec }, "metadata is required"],
    [
      "a resourceVersion of the wrong form",
      { ...instance, metadata: { name: "web", resourceVersion: "x" } },
      "metadata.resourceVersion must be a resourceVersion that the server gave out",
    ],
    [
      "a field nobody knows",
      { ...instance, spec: { ...instance.spec, replicas: 3 } },
      "spec.replicas is an unknown field",
    ],
    [
      "a misspelt field",
      { ...instance, metdata: {} },
      "metdata is an unknown field; did you mean «metadata»?",
    ],
    [
      "a label with a bad key",
      { ...instance, metadata: { name: "web", labels: { "-a": "b" } } },
      /^metadata\.labels\.?.*is not a valid key/,
    ],
    [
      "a selector without values",
      {
        ...instance,
        spec: {
          ...instance.spec,
          placement: { selector: { matchExpressions: [{ key: "tier", operator: "In" }] } },
        },
      },
      "spec.placement.selector.matchExpressions[0].values must not be empty with the operator In",
    ],
    ["nothing", null, "must be an object, not nothing"],
    ["a list", [], "must be an object, not a list"],
  ])("with %s is refused", (_, body, expected) => {
    const problems = problemsOf(validateWrite(WorkloadInstance, body));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  test("that is too deep is refused even where nobody would look", () => {
    const status = JSON.parse("[".repeat(40) + "]".repeat(40));
    expect(problemsOf(validateWrite(WorkloadInstance, { ...instance, status }))).toEqual([
      "must not be nested deeper than 32 levels",
    ]);
  });
});

describe("a name in the address", () => {
  test.each([
    ["no metadata", { spec: {} }],
    ["empty metadata", { metadata: {}, spec: {} }],
    ["nothing as metadata", { metadata: null, spec: {} }],
    ["nothing as a name", { metadata: { name: null }, spec: {} }],
    ["the same name", { metadata: { name: "prod" }, spec: {} }],
  ])("is the name of a body with %s", (_, body) => {
    expect(validateWrite(Cluster, body, { name: "prod" })).toMatchObject({
      ok: true,
      object: { metadata: { name: "prod" } },
    });
  });

  test("may not be contradicted", () => {
    const result = validateWrite(Cluster, { metadata: { name: "test" }, spec: {} }, { name: "prod" });
    expect(problemsOf(result)).toEqual(["metadata.name must be the name in the address"]);
  });

  test.each(["metadata", ["x"]])("does not hide that metadata is %j", (metadata) => {
    expect(validateWrite(Cluster, { metadata, spec: {} }, { name: "prod" }).ok).toBe(false);
  });
});

describe("a secret", () => {
  const body = { metadata: { name: "git" }, spec: { type: "token" } };

  test("must be there to create an object", () => {
    expect(problemsOf(validateWrite(Credential, body, { creating: true }))).toEqual([
      "spec.data is required",
    ]);
  });

  test("may be left out of an update", () => {
    expect(validateWrite(Credential, body).ok).toBe(true);
  });
});

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

test("names the fields that cannot be changed and would be", () => {
  const before = { spec: { provider: "existing", region: "eu" } };
  expect(checkUpdate(Cluster, before, { spec: { provider: "existing", region: "us" } })).toEqual([]);
  expect(checkUpdate(Cluster, before, { spec: { provider: "kind" } })).toEqual([
    { path: "spec.provider", message: "cannot be changed once the object exists" },
  ]);
});

test("tells what a kind does not take of a change", () => {
  const before = { spec: { type: "basic" } };
  expect(checkUpdate(Credential, before, { spec: { type: "basic" } })).toEqual([]);
  expect(checkUpdate(Credential, before, { spec: { type: "token", data: { token: "s3cret" } } })).toEqual([]);
  expect(checkUpdate(Credential, before, { spec: { type: "token" } })).toEqual([
    { path: "spec.data", message: "is required when spec.type changes" },
  ]);
});
