import { isRecord } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin.ts";
import { compileCrdSchema } from "../schema/crd.ts";
import { valueAt, type JsonObject } from "../schema/json-value.ts";
import type { ObjectNode } from "../schema/schema-node.ts";
import { type FieldSet, has, paths } from "./field-set.ts";
import { decodeManagers } from "./managed-fields.ts";
import { serverSideApply, type ServerSideApplyOptions } from "./server-side-apply.ts";
import { toFieldSet } from "./to-field-set.ts";
import { trackUpdate } from "./track-update.ts";

const time = "2024-01-01T00:00:00Z";
const later = "2024-01-01T00:00:09Z";

function builtin(group: string, kind: string): ObjectNode {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return schema;
}

const deployments = builtin("apps", "Deployment");

const deployment = (spec: object): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels: { app: "web" } },
  spec,
});

function apply(
  live: JsonObject | undefined,
  manager: string,
  applied: JsonObject,
  more: Partial<ServerSideApplyOptions> = {},
): JsonObject {
  return serverSideApply({
    live,
    applied,
    manager,
    force: false,
    schema: deployments,
    apiVersion: "apps/v1",
    time,
    ...more,
  });
}

function update(live: JsonObject, manager: string, after: JsonObject): JsonObject {
  const managedFields = trackUpdate({
    before: live,
    after,
    manager,
    apiVersion: "apps/v1",
    schema: deployments,
    time,
  });
  const metadata = isRecord(after["metadata"]) ? after["metadata"] : {};
  return { ...after, metadata: { ...metadata, managedFields } };
}

const fieldsOf = (object: JsonObject, manager: string): FieldSet | undefined =>
  [...(decodeManagers(object)?.values() ?? [])].find(({ name }) => name === manager)?.fields;

describe("server-side apply", () => {
  it("creates an object and notes what its manager applied, but not who the object is", () => {
    const created = apply(undefined, "a", deployment({ replicas: 1 }));
    expect(valueAt(created, "metadata", "managedFields")).toEqual([
      {
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:metadata": { "f:labels": { "f:app": {} } }, "f:spec": { "f:replicas": {} } },
        manager: "a",
        operation: "Apply",
        time,
      },
    ]);
  });

  it("changes nothing, not even the time, when the same is applied again", () => {
    const created = apply(undefined, "a", deployment({ replicas: 1 }));
    expect(apply(created, "a", deployment({ replicas: 1 }), { time: later })).toBe(created);
  });

  it("removes a field that is applied no longer, unless somebody else owns it too", () => {
    const alone = apply(undefined, "a", deployment({ replicas: 1, paused: true }));
    expect(apply(alone, "a", deployment({ replicas: 1 }))["spec"]).toEqual({ replicas: 1 });
    const shared = apply(alone, "b", deployment({ replicas: 1, paused: true }));
    const left = apply(shared, "a", deployment({ replicas: 1 }));
    expect(left["spec"]).toEqual({ replicas: 1, paused: true });
    expect(apply(left, "b", deployment({ replicas: 1 }))["spec"]).toEqual({ replicas: 1 });
  });

  it("refuses to change what another manager owns, and says whose it is", () => {
    const live = update(
      apply(undefined, "a", deployment({ replicas: 1 })),
      "kubectl",
      deployment({ replicas: 2 }),
    );
    expect(() => apply(live, "a", deployment({ replicas: 3 }))).toThrow(
      expect.objectContaining({
        code: 409,
        reason: "Conflict",
        message: 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas',
        details: {
          causes: [
            {
              reason: "FieldManagerConflict",
              message: 'conflict with "kubectl" using apps/v1',
              field: ".spec.replicas",
            },
          ],
        },
      }),
    );
  });

  it("lists several conflicts by manager", () => {
    const one = apply(undefined, "a", deployment({ replicas: 1 }));
    const two = apply(one, "b", {
      ...deployment({ paused: true }),
      metadata: { name: "web", labels: { app: "web", b: "1" } },
    });
    const wanted = { ...deployment({ replicas: 2, paused: false }), metadata: { name: "web" } };
    expect(() => apply(two, "c", wanted)).toThrow(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.replicas\nconflicts with "b":\n- .spec.paused',
    );
  });

  it("takes over when forced, and shares what has the same value", () => {
    const live = update(
      apply(undefined, "a", deployment({ replicas: 1 })),
      "kubectl",
      deployment({ replicas: 2 }),
    );
    const forced = apply(live, "a", deployment({ replicas: 3 }), { force: true });
    expect(forced["spec"]).toEqual({ replicas: 3 });
    expect(fieldsOf(forced, "kubectl")).toBeUndefined();
    const shared = apply(live, "b", deployment({ replicas: 2 }));
    expect(fieldsOf(shared, "kubectl")).toEqual({ "f:spec": { "f:replicas": {} } });
    expect(fieldsOf(shared, "b")).toMatchObject({ "f:spec": { "f:replicas": {} } });
  });

  it("merges lists by their keys, with defaults for keys left out, and removes single items", () => {
    const withPorts = (...ports: object[]): JsonObject =>
      deployment({ template: { spec: { containers: [{ name: "web", image: "i", ports }] } } });
    const one = apply(undefined, "a", withPorts({ containerPort: 80 }));
    const two = apply(one, "b", withPorts({ containerPort: 81, protocol: "UDP" }));
    expect(fieldsOf(two, "a")).toMatchObject({
      "f:spec": {
        "f:template": {
          "f:spec": {
            "f:containers": {
              'k:{"name":"web"}': {
                ".": {},
                "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
              },
            },
          },
        },
      },
    });
    const left = apply(two, "a", withPorts());
    expect(left).toMatchObject(withPorts({ containerPort: 81, protocol: "UDP" }));
  });

  it("owns atomic values as a whole", () => {
    const live = apply(undefined, "a", deployment({ selector: { matchLabels: { a: "1" } } }));
    expect(fieldsOf(live, "a")).toMatchObject({ "f:spec": { "f:selector": {} } });
    expect(() => apply(live, "b", deployment({ selector: { matchLabels: { b: "2" } } }))).toThrow(
      ".spec.selector",
    );
  });

  it("gives what was there before anybody applied to a manager of its own", () => {
    const live = deployment({ replicas: 1 });
    expect(() => apply(live, "a", deployment({ replicas: 2 }))).toThrow('"before-first-apply" using apps/v1');
    expect(fieldsOf(apply(live, "a", deployment({ replicas: 1 })), "before-first-apply")).toBeDefined();
  });

  it("lets kubectl move from client-side to server-side apply without a conflict", () => {
    const lastApplied = JSON.stringify(deployment({ replicas: 1 }));
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": lastApplied };
    const stored = {
      ...deployment({ replicas: 1, paused: true }),
      metadata: { name: "web", labels: { app: "web" }, annotations },
    };
    const managedFields = trackUpdate({
      before: undefined,
      after: stored,
      manager: "kubectl-client-side-apply",
      apiVersion: "apps/v1",
      schema: deployments,
      time,
    });
    const live = { ...stored, metadata: { ...stored.metadata, managedFields } };
    const applied = apply(live, "kubectl", deployment({ replicas: 5 }));
    expect(applied["spec"]).toEqual({ replicas: 5, paused: true });
    expect(
      valueAt(applied, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
    ).toBe(`${JSON.stringify(deployment({ replicas: 5 }))}\n`);
    expect(() => apply(live, "other", deployment({ replicas: 5 }))).toThrow("1 conflict");
    expect(() => apply(live, "kubectl", deployment({ paused: false }))).toThrow(".spec.paused");
  });

  it.each([
    ["a field nobody declared", deployment({ bogus: 1 }), 500, ".spec.bogus: field not declared in schema"],
    ["a value of the wrong type", deployment({ replicas: "x" }), 500, ".spec.replicas: expected numeric"],
    [
      "the same item twice",
      { ...deployment({}), metadata: { name: "web", finalizers: ["a", "a"] } },
      500,
      'duplicate entries for key [="a"]',
    ],
    ["another version", { ...deployment({}), apiVersion: "apps/v1beta1" }, 400, "Incorrect version"],
    [
      "managed fields",
      { ...deployment({}), metadata: { name: "web", managedFields: [{}] } },
      400,
      "must be nil",
    ],
  ])("refuses %s", (_name, applied, code, message) => {
    expect(() => apply(undefined, "a", applied)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

const { schemaNode: things } = compileCrdSchema(
  {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer" },
          mode: { type: "string" },
          tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          labels: { type: "object", additionalProperties: { type: "string" } },
          parts: {
            type: "array",
            items: { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
          },
          whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string" } } },
        },
      },
    },
  },
  { group: "example.com", version: "v1", kind: "Thing" },
);

const letter = fc.constantFrom("a", "b", "c");
const part = fc.record({ name: letter, size: fc.nat(2) }, { requiredKeys: ["name"] });
const spec = fc.record(
  {
    size: fc.nat(2),
    mode: letter,
    tags: fc.uniqueArray(letter, { minLength: 1 }),
    labels: fc.dictionary(letter, letter, { minKeys: 1 }),
    parts: fc.uniqueArray(part, { minLength: 1, selector: ({ name }) => name }),
    whole: fc.record({ a: letter }),
  },
  { requiredKeys: [] },
);

const thing = (value: object): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "t" },
  spec: value,
});

function applyThing(live: JsonObject | undefined, manager: string, value: object): JsonObject {
  return serverSideApply({
    live,
    applied: thing(value),
    manager,
    force: true,
    schema: things,
    apiVersion: "example.com/v1",
    time,
  });
}

/** Fields without those of metadata, which nobody owns. */
const specPaths = (value: object): (readonly string[])[] =>
  [...paths(toFieldSet(thing(value), things))].filter(([first]) => first === "f:spec");

describe("server-side apply, for any configuration,", () => {
  it("is done after the first time", () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = applyThing(applyThing(undefined, "a", first), "b", second);
        expect(applyThing(live, "b", second)).toBe(live);
      }),
    );
  });

  it("leaves every field that was applied with an owner, and in the object", () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = applyThing(applyThing(undefined, "a", first), "b", second);
        const owned = [...(decodeManagers(live)?.values() ?? [])].map(({ fields }) => fields);
        const present = toFieldSet(live, things);
        const applied = [...specPaths(first), ...specPaths(second)];
        expect(applied.filter((path) => !owned.some((fields) => has(fields, path)))).toEqual([]);
        expect(applied.filter((path) => !has(present, path))).toEqual([]);
      }),
    );
  });

  it("removes what is left out if and only if nobody else owns it", () => {
    fc.assert(
      fc.property(spec, spec, spec, (first, other, second) => {
        const before = applyThing(applyThing(undefined, "a", first), "b", other);
        const owned = fieldsOf(before, "b") ?? {};
        const after = toFieldSet(applyThing(before, "a", second), things);
        const wanted = toFieldSet(thing(second), things);
        const kept = specPaths(first).filter((path) => has(after, path));
        expect(kept).toEqual(specPaths(first).filter((path) => has(wanted, path) || has(owned, path)));
      }),
    );
  });
});
