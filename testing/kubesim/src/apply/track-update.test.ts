import { isRecord } from "@bowline/core";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin.ts";
import { compileCrdSchema } from "../schema/crd.ts";
import type { JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { decodeManagers } from "./managed-fields.ts";
import { trackUpdate } from "./track-update.ts";

const time = "2024-01-01T00:00:00Z";
const later = "2024-01-01T00:00:09Z";

const configMaps = builtinSchema("", "ConfigMap") ?? { kind: "any" };
const deployments = builtinSchema("apps", "Deployment") ?? { kind: "any" };

const configMap = (data: object, metadata: object = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", uid: "1", resourceVersion: "5", ...metadata },
  data,
});

interface Write {
  readonly before?: JsonObject;
  readonly after: JsonObject;
  readonly manager: string;
  readonly at?: string;
  readonly schema?: SchemaNode;
  readonly subresource?: string;
}

function write({ before, after, manager, at = time, schema = configMaps, subresource }: Write): JsonObject {
  const managedFields = trackUpdate({
    before,
    after,
    manager,
    apiVersion: "v1",
    schema,
    time: at,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const metadata = isRecord(after["metadata"]) ? after["metadata"] : {};
  return { ...after, metadata: { ...metadata, managedFields } };
}

const owners = (object: JsonObject): Record<string, unknown> => {
  const managers = [...(decodeManagers(object)?.values() ?? [])];
  return Object.fromEntries(managers.map(({ name, fields }) => [name, fields]));
};

describe("tracking who writes what", () => {
  it("gives a creator everything but the object's identity", () => {
    const created = write({ after: configMap({ a: "1" }, { labels: { l: "1" } }), manager: "creator" });
    expect(owners(created)).toEqual({
      creator: {
        "f:data": { ".": {}, "f:a": {} },
        "f:metadata": { "f:labels": { ".": {}, "f:l": {} } },
      },
    });
  });

  it("moves changed fields to whoever changed them, and drops what was removed", () => {
    const created = write({ after: configMap({ a: "1", b: "1", c: "1" }), manager: "creator" });
    const changed = write({
      before: created,
      after: configMap({ a: "2", b: "1", d: "1" }),
      manager: "updater",
      at: later,
    });
    expect(owners(changed)).toEqual({
      creator: { "f:data": { ".": {}, "f:b": {} } },
      updater: { "f:data": { "f:a": {}, "f:d": {} } },
    });
  });

  it("keeps one entry per manager, and its time while the set of its fields stays the same", () => {
    const created = write({ after: configMap({ a: "1" }), manager: "creator" });
    const again = write({ before: created, after: configMap({ a: "2" }), manager: "creator", at: later });
    expect(again["metadata"]).toMatchObject({ managedFields: [{ manager: "creator", time }] });
    const more = write({
      before: again,
      after: configMap({ a: "2", b: "1" }),
      manager: "creator",
      at: later,
    });
    expect(more["metadata"]).toMatchObject({ managedFields: [{ manager: "creator", time: later }] });
  });

  it("drops a manager that owns nothing any more", () => {
    const created = write({ after: configMap({ a: "1" }), manager: "creator" });
    const gone = write({ before: created, after: { ...configMap({}), data: undefined }, manager: "updater" });
    expect(owners(gone)).toEqual({});
  });

  it("tells subresources apart", () => {
    const before = write({
      after: { metadata: {}, spec: { replicas: 1 } },
      manager: "m",
      schema: deployments,
    });
    const after = write({
      before,
      after: { ...before, status: { replicas: 1 } },
      manager: "m",
      schema: deployments,
      subresource: "status",
    });
    expect(after["metadata"]).toMatchObject({
      managedFields: [
        { manager: "m", fieldsV1: { "f:spec": { "f:replicas": {} } } },
        { manager: "m", subresource: "status", fieldsV1: { "f:status": { "f:replicas": {} } } },
      ],
    });
  });

  it("leaves objects alone that nobody tracks", () => {
    const after = configMap({ a: "2" });
    expect(
      trackUpdate({
        before: configMap({ a: "1" }),
        after,
        manager: "m",
        apiVersion: "v1",
        schema: configMaps,
        time,
      }),
    ).toEqual([]);
  });

  it("lets a client reset the managers, or rewrite them, but not by leaving them out", () => {
    const before = write({ after: configMap({ a: "1" }), manager: "creator" });
    expect(owners(write({ before, after: configMap({ a: "1" }), manager: "m" }))).toHaveProperty("creator");
    expect(
      owners(write({ before, after: configMap({ a: "1" }, { managedFields: [] }), manager: "m" })),
    ).toEqual({});
    expect(
      owners(write({ before, after: configMap({ a: "1" }, { managedFields: [{}] }), manager: "m" })),
    ).toEqual({});
    const mine = {
      manager: "mine",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:a": {} } },
    };
    expect(
      owners(write({ before, after: configMap({ a: "1" }, { managedFields: [mine] }), manager: "m" })),
    ).toEqual({
      mine: { "f:data": { "f:a": {} } },
    });
    const broken = { ...mine, fieldsV1: { "f:data": 5 } };
    expect(
      owners(write({ before, after: configMap({ a: "1" }, { managedFields: [broken] }), manager: "m" })),
    ).toHaveProperty("creator");
  });

  it("counts parts that every object of a built-in type has as there from the start, and those of a custom one not", () => {
    const after = {
      metadata: {},
      spec: { replicas: 1, template: { spec: { containers: [{ name: "a" }] } } },
      status: {},
    };
    expect(owners(write({ after, manager: "m", schema: deployments }))).toEqual({
      m: {
        "f:spec": {
          "f:replicas": {},
          "f:template": { "f:spec": { "f:containers": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } } },
        },
      },
    });
    const custom = compileCrdSchema(
      { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
      { group: "example.com", version: "v1", kind: "Thing" },
    );
    expect(
      owners(write({ after: { metadata: {}, spec: { size: 1 } }, manager: "m", schema: custom.schemaNode })),
    ).toEqual({
      m: { "f:spec": { ".": {}, "f:size": {} } },
    });
  });

  it("gives a map whose entries are all gone, and the new ones, back to the manager that owns the map", () => {
    const created = write({ after: configMap({ a: "1" }), manager: "creator" });
    const replaced = write({ before: created, after: configMap({ b: "1" }), manager: "other" });
    expect(owners(replaced)["creator"]).toEqual({ "f:data": {} });
    const touched = write({ before: replaced, after: configMap({ b: "1", c: "1" }), manager: "third" });
    expect(owners(touched)["creator"]).toEqual({ "f:data": { ".": {}, "f:b": {} } });
  });

  it("joins the oldest updaters when there are too many", () => {
    let object = write({ after: configMap({ k0: "1" }), manager: "m0", at: "2024-01-01T00:00:00Z" });
    for (let index = 1; index <= 11; index++) {
      const data = Object.fromEntries(Array.from({ length: index + 1 }, (_, key) => [`k${key}`, "1"]));
      const at = `2024-01-01T00:00:${String(index).padStart(2, "0")}Z`;
      object = write({ before: object, after: configMap(data), manager: `m${index}`, at });
    }
    expect(Object.keys(owners(object))).toHaveLength(10);
    expect(owners(object)["ancient-changes"]).toEqual({
      "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} },
    });
  });
});
