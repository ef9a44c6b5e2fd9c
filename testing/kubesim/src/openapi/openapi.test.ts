import { asRecord, isRecord } from "@bowline/core";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin.ts";
import { compileCrdSchema } from "../schema/crd.ts";
import { type JsonObject, valueAt } from "../schema/json-value.ts";
import { encodeOpenApiV2, openApiV2, openApiV3, openApiV3Index, type ServedType } from "./index.ts";

function served(group: string, version: string, kind: string, plural: string): ServedType {
  const schema = builtinSchema(group, kind, version);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return { group, version, kind, plural, namespaced: true, schema };
}

const thingSchema = {
  type: "object",
  description: "A thing.",
  properties: {
    spec: { type: "object", properties: { size: { type: "integer", description: "How big." } } },
    open: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { a: { type: "string" } },
    },
  },
};

const types: ServedType[] = [
  served("", "v1", "Pod", "pods"),
  served("apps", "v1", "Deployment", "deployments"),
  served("batch", "v1", "CronJob", "cronjobs"),
  served("batch", "v1beta1", "CronJob", "cronjobs"),
  {
    group: "example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    namespaced: true,
    schema: compileCrdSchema(thingSchema, { group: "example.com", version: "v1", kind: "Thing" }).schemaNode,
  },
];

/** Every reference in a document. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child] : references(child),
  );
}

describe("the OpenAPI v2 document", () => {
  const document = openApiV2(types, "v1.20.2");
  const definition = (name: string): unknown => valueAt(document, "definitions", name);

  it("says which definition describes which kind", () => {
    expect(definition("io.k8s.api.core.v1.Pod")).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
    });
    expect(definition("com.example.v1.Thing")).toMatchObject({
      description: "A thing.",
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Thing" }],
    });
  });

  it("tells versions of a kind apart that share a schema", () => {
    expect(definition("io.k8s.api.batch.v1beta1.CronJob")).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "batch", version: "v1beta1", kind: "CronJob" }],
    });
    expect(definition("io.k8s.api.batch.v1.CronJob")).toBeDefined();
  });

  it("describes fields: types, requirements, patch strategies, list types", () => {
    expect(definition("io.k8s.api.core.v1.Container")).toMatchObject({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", description: "Name of the container, unique within the pod." },
        ports: {
          type: "array",
          items: { $ref: "#/definitions/io.k8s.api.core.v1.ContainerPort" },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
          "x-kubernetes-patch-strategy": "merge",
          "x-kubernetes-patch-merge-key": "containerPort",
        },
      },
    });
    expect(
      valueAt(document, "definitions", "com.example.v1.Thing", "properties", "spec", "properties", "size"),
    ).toEqual({
      type: "integer",
      format: "int64",
      description: "How big.",
    });
  });

  it("lists no fields for objects that may have any, because clients refuse what is not listed", () => {
    expect(valueAt(definition("com.example.v1.Thing"), "properties", "open")).toEqual({
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  it("refers only to what it defines", () => {
    const names = new Set(
      Object.keys(asRecord(document["definitions"])).map((name) => `#/definitions/${name}`),
    );
    expect(references(document).filter((reference) => !names.has(reference))).toEqual([]);
  });

  it("says that patches can be tried out", () => {
    const patch = valueAt(
      document,
      "paths",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}",
      "patch",
    );
    expect(patch).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
      parameters: expect.arrayContaining([expect.objectContaining({ name: "dryRun", in: "query" })]),
    });
  });
});

/** Reads protobuf just well enough to look inside: fields by number, in order. */
function decode(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    expect(tag & 7).toBe(2);
    const length = varint();
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), bytes.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

function named(entries: readonly Uint8Array[] | undefined, name: string): Map<number, Uint8Array[]> {
  const entry = entries?.map(decode).find((fields) => text(fields.get(1)?.[0]) === name);
  return decode(entry?.get(2)?.[0] ?? new Uint8Array());
}

describe("the protobuf form of the document", () => {
  const document = decode(encodeOpenApiV2(openApiV2(types, "v1.20.2")));
  const definitions = decode(document.get(9)?.[0] ?? new Uint8Array()).get(1);

  it("holds version, info, paths and definitions where gnostic expects them", () => {
    expect(text(document.get(1)?.[0])).toBe("2.0");
    expect(text(decode(document.get(2)?.[0] ?? new Uint8Array()).get(2)?.[0])).toBe("v1.20.2");
    expect(decode(document.get(8)?.[0] ?? new Uint8Array()).get(2)).toHaveLength(types.length);
    expect(definitions?.length).toBeGreaterThan(100);
  });

  it("holds schemas with type, properties, requirements, references and extensions", () => {
    const container = named(definitions, "io.k8s.api.core.v1.Container");
    expect(text(decode(container.get(22)?.[0] ?? new Uint8Array()).get(1)?.[0])).toBe("object");
    expect(container.get(19)?.map(text)).toEqual(["name"]);
    const properties = decode(container.get(25)?.[0] ?? new Uint8Array()).get(1);
    const resources = named(properties, "resources");
    expect(text(resources.get(1)?.[0])).toBe("#/definitions/io.k8s.api.core.v1.ResourceRequirements");
    const pod = named(definitions, "io.k8s.api.core.v1.Pod");
    const kind = named(pod.get(31), "x-kubernetes-group-version-kind");
    expect(JSON.parse(text(kind.get(2)?.[0]))).toEqual([{ group: "", version: "v1", kind: "Pod" }]);
  });
});

describe("the OpenAPI v3 documents", () => {
  const documents = openApiV3(types, "v1.30.0");

  it("are one per group and version, listed with a hash of their contents", () => {
    expect([...documents.keys()]).toEqual([
      "api/v1",
      "apis/apps/v1",
      "apis/batch/v1",
      "apis/batch/v1beta1",
      "apis/example.com/v1",
    ]);
    const index = openApiV3Index(documents);
    expect(valueAt(index, "paths", "apis/apps/v1", "serverRelativeURL")).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/,
    );
    const changed = openApiV3Index(openApiV3(types, "v1.31.0"));
    expect(valueAt(changed, "paths", "apis/apps/v1")).not.toEqual(valueAt(index, "paths", "apis/apps/v1"));
  });

  it("are complete in themselves", () => {
    for (const document of documents.values()) {
      const names = new Set(
        Object.keys(asRecord(valueAt(document, "components", "schemas"))).map(
          (name) => `#/components/schemas/${name}`,
        ),
      );
      expect(references(document).filter((reference) => !names.has(reference))).toEqual([]);
    }
  });

  it("keep descriptions beside references", () => {
    const properties = (document: JsonObject | undefined, name: string): unknown =>
      valueAt(document, "components", "schemas", name, "properties");
    expect(
      valueAt(properties(documents.get("apis/apps/v1"), "io.k8s.api.apps.v1.Deployment"), "spec"),
    ).toEqual({
      description: "What is wanted.",
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" }],
    });
  });
});
