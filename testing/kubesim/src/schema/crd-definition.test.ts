import { describe, expect, it } from "vitest";
import { validateCrd, validateCrdUpdate } from "./crd-definition.ts";
import type { JsonObject } from "./json-value.ts";

const schemaPath = "spec.validation.openAPIV3Schema";

function crd(spec: object = {}, name = "things.example.com"): JsonObject {
  return {
    metadata: { name },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [version({ type: "object" })],
      ...spec,
    },
  };
}

function version(openAPIV3Schema: object | undefined, more: object = {}): object {
  return {
    name: "v1",
    served: true,
    storage: true,
    ...(openAPIV3Schema ? { schema: { openAPIV3Schema } } : {}),
    ...more,
  };
}

const withSpec = (spec: object): JsonObject =>
  crd({ versions: [version({ type: "object", properties: { spec } })] });

const problems = (object: JsonObject): string[] =>
  validateCrd(object).map(({ field, message }) => `${field}: ${message}`);

describe("a CustomResourceDefinition", () => {
  it("may be good", () => {
    expect(problems(crd())).toEqual([]);
    const properties = {
      open: { "x-kubernetes-preserve-unknown-fields": true },
      either: { "x-kubernetes-int-or-string": true },
      map: { type: "object", additionalProperties: { type: "string" } },
      list: {
        type: "array",
        items: { type: "string", pattern: "^[a-z]+$" },
        "x-kubernetes-list-type": "set",
      },
    };
    expect(problems(withSpec({ type: "object", properties, anyOf: [{ required: ["open"] }] }))).toEqual([]);
  });

  it.each([
    [
      "is named after its plural and group",
      crd({}, "x.example.com"),
      ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      "has a group with a dot",
      { ...crd({ group: "foo" }, "things.foo") },
      ['spec.group: Invalid value: "foo": should be a domain with at least one dot'],
    ],
    [
      "has a scope",
      crd({ scope: "Galaxy" }),
      ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    [
      "has names",
      crd({ names: { plural: "things", singular: "thing", kind: "Thing", listKind: "Thing" } }),
      ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
    ],
    [
      "has one version for storage",
      crd({ versions: [version({ type: "object" }, { storage: false })] }),
      [
        'spec.versions: Invalid value: []interface {}{"v1"}: must have exactly one version marked as storage version',
      ],
    ],
    [
      "has a schema",
      crd({ versions: [version(undefined)] }),
      ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"],
    ],
    [
      "describes objects",
      crd({ versions: [version({ type: "string" })] }),
      [`${schemaPath}.type: Invalid value: "string": must be object at the root`],
    ],
    [
      "has a type for every field",
      withSpec({ type: "object", properties: { a: {} } }),
      [
        `${schemaPath}.properties[spec].properties[a].type: Required value: must not be empty for specified object fields`,
      ],
    ],
    [
      "has items for every list",
      withSpec({ type: "array" }),
      [`${schemaPath}.properties[spec].items: Required value: must be specified`],
    ],
    [
      "knows its types",
      withSpec({ type: "foo" }),
      [
        `${schemaPath}.properties[spec].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      "is either a map or a type",
      withSpec({
        type: "object",
        properties: { a: { type: "string" } },
        additionalProperties: { type: "string" },
      }),
      [
        `${schemaPath}.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    [
      "does not look for doubles",
      withSpec({ type: "array", uniqueItems: true, items: { type: "string" } }),
      [
        `${schemaPath}.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      "refers to nothing",
      withSpec({ $ref: "#/x" }),
      [`${schemaPath}.properties[spec].$ref: Forbidden: $ref is not supported`],
    ],
    [
      "adds no fields in options",
      withSpec({ type: "object", anyOf: [{ type: "object" }] }),
      [`${schemaPath}.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      "has defaults that fit",
      withSpec({ type: "object", properties: { a: { type: "string", default: 5 } } }),
      [
        `${schemaPath}.properties[spec].properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
      ],
    ],
    [
      "has keys for a list that is a map",
      withSpec({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" }),
      [
        `${schemaPath}.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      ],
    ],
  ])("%s", (_name, object, expected) => {
    expect(problems(object)).toEqual(expected);
  });

  it("has patterns that can be read", () => {
    expect(problems(withSpec({ type: "string", pattern: "(" }))).toEqual([
      expect.stringContaining("must be a valid regular expression"),
    ]);
  });

  it("names the version whose schema is wrong, if they differ", () => {
    const versions = [
      version({ type: "object" }),
      version({ type: "object", properties: { z: {} } }, { name: "v2", storage: false }),
    ];
    expect(problems(crd({ versions }))).toEqual([
      expect.stringMatching(/^spec\.versions\[1\]\.schema\.openAPIV3Schema\.properties\[z\]\.type: /),
    ]);
  });

  it("keeps its group, scope and names", () => {
    const fields = validateCrdUpdate(crd(), crd({ scope: "Cluster" })).map(({ field }) => field);
    expect(fields).toEqual(["spec.scope"]);
  });
});
