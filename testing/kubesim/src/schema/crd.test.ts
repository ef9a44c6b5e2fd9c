import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CompiledCrdSchema, compileCrdSchema } from "./crd.ts";
import type { JsonObject } from "./json-value.ts";

function compile(spec: object): CompiledCrdSchema {
  const schema = { type: "object", properties: { spec: { type: "object", ...spec } } };
  return compileCrdSchema(schema, { group: "example.com", version: "v1", kind: "Thing" });
}

const thing = (spec: unknown, metadata: object = { name: "t" }): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata,
  spec,
});

function problems(spec: object, value: unknown): string[] {
  return compile(spec)
    .validate(thing(value))
    .map(({ field, message }) => `${field}: ${message}`);
}

describe("pruning a custom object", () => {
  it("drops what the schema does not describe, but keeps the object's identity", () => {
    const { prune } = compile({
      properties: { a: { type: "object", properties: { b: { type: "integer" } } } },
    });
    const object = {
      ...thing({ a: { b: 1, c: 2 }, d: 3 }, { name: "t", labels: { x: "y" }, bogus: 1 }),
      more: 1,
    };
    expect(prune(object)).toEqual(thing({ a: { b: 1 } }, { name: "t", labels: { x: "y" } }));
  });

  it("keeps unknown fields where the schema says so, and still prunes what it describes", () => {
    const { prune } = compile({
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: { type: "integer" } } } },
    });
    const value = { unknown: { x: [1] }, known: { a: 1, b: 2 } };
    expect(prune(thing(value))["spec"]).toEqual({ unknown: { x: [1] }, known: { a: 1 } });
  });

  it("prunes within lists and maps, and lets embedded resources have their metadata", () => {
    const { prune } = compile({
      properties: {
        list: { type: "array", items: { type: "object", properties: { a: { type: "integer" } } } },
        map: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "integer" } } },
        },
        pod: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object" } },
        },
      },
    });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", bogus: 1 },
      spec: { x: 1 },
      other: 1,
    };
    expect(prune(thing({ list: [{ a: 1, b: 1 }], map: { k: { a: 1, b: 1 } }, pod }))["spec"]).toEqual({
      list: [{ a: 1 }],
      map: { k: { a: 1 } },
      pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} },
    });
  });

  it("keeps everything without a schema", () => {
    const { prune } = compileCrdSchema(undefined, { group: "example.com", version: "v1", kind: "Thing" });
    expect(prune(thing({ x: { y: [1] } }))).toEqual(thing({ x: { y: [1] } }));
  });
});

describe("the defaults of a custom object", () => {
  const schema = compile({
    properties: {
      size: { type: "integer", default: 3 },
      nested: { type: "object", default: {}, properties: { mode: { type: "string", default: "fast" } } },
      list: {
        type: "array",
        items: { type: "object", properties: { on: { type: "boolean", default: true } } },
      },
      open: { type: "string", nullable: true, default: "x" },
      plain: { type: "string" },
    },
  });

  it("are filled in at every depth that exists", () => {
    expect(schema.default(thing({ list: [{}] }))["spec"]).toEqual({
      size: 3,
      nested: { mode: "fast" },
      list: [{ on: true }],
      open: "x",
    });
    expect(schema.default({ ...thing({}), spec: undefined })).toEqual({ ...thing({}), spec: undefined });
  });

  it("replace nulls where null is no value, and drop them where there is no default", () => {
    expect(schema.default(thing({ size: null, open: null, plain: null }))["spec"]).toMatchObject({
      size: 3,
      open: null,
    });
    expect(schema.default(thing({ plain: null }))["spec"]).not.toHaveProperty("plain");
  });
});

describe("validation of a custom object", () => {
  it.each([
    [
      "a type",
      { properties: { n: { type: "integer" } } },
      { n: "x" },
      ['spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"'],
    ],
    [
      "a whole number",
      { properties: { n: { type: "integer" } } },
      { n: 1.5 },
      ['spec.n: Invalid value: "number": spec.n in body must be of type integer: "number"'],
    ],
    [
      "a required field",
      { required: ["n"], properties: { n: { type: "integer" } } },
      {},
      ["spec.n: Required value"],
    ],
    [
      "a choice",
      { properties: { m: { type: "string", enum: ["a", "b"] } } },
      { m: "c" },
      ['spec.m: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      "a pattern",
      { properties: { p: { type: "string", pattern: "^[a-z]+$" } } },
      { p: "A" },
      ["spec.p: Invalid value: \"A\": spec.p in body should match '^[a-z]+$'"],
    ],
    [
      "a minimum",
      { properties: { n: { type: "integer", minimum: 1 } } },
      { n: 0 },
      ["spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1"],
    ],
    [
      "an open maximum",
      { properties: { n: { type: "number", maximum: 1, exclusiveMaximum: true } } },
      { n: 1 },
      ["spec.n: Invalid value: 1: spec.n in body should be less than 1"],
    ],
    [
      "a step",
      { properties: { n: { type: "integer", multipleOf: 5 } } },
      { n: 7 },
      ["spec.n: Invalid value: 7: spec.n in body should be a multiple of 5"],
    ],
    [
      "a length",
      { properties: { s: { type: "string", maxLength: 2 } } },
      { s: "😀😀😀" },
      ['spec.s: Invalid value: "😀😀😀": spec.s in body should be at most 2 chars long'],
    ],
    [
      "a number of items",
      { properties: { l: { type: "array", minItems: 1, items: { type: "string" } } } },
      { l: [] },
      ["spec.l: Invalid value: 0: spec.l in body should have at least 1 items"],
    ],
    [
      "the items",
      { properties: { l: { type: "array", items: { type: "string" } } } },
      { l: ["a", 1] },
      ['spec.l[1]: Invalid value: "integer": spec.l[1] in body must be of type string: "integer"'],
    ],
    [
      "the values of a map",
      { additionalProperties: { type: "integer" } },
      { a: "x" },
      ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    [
      "a number of keys",
      { additionalProperties: { type: "integer" }, maxProperties: 1 },
      { a: 1, b: 1 },
      ["spec: Invalid value: 1: spec in body should have at most 1 properties"],
    ],
    [
      "a format",
      { properties: { t: { type: "string", format: "date-time" } } },
      { t: "now" },
      ['spec.t: Invalid value: "now": spec.t in body must be of type date-time: "now"'],
    ],
    [
      "a number or a text",
      { properties: { x: { "x-kubernetes-int-or-string": true } } },
      { x: true },
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      "null",
      { properties: { s: { type: "string" } } },
      { s: null },
      ['spec.s: Invalid value: "null": spec.s in body must be of type string: "null"'],
    ],
    [
      "a set",
      { properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } } },
      { l: ["a", "a"] },
      ['spec.l[1]: Duplicate value: "a"'],
    ],
    [
      "the keys of a list",
      {
        properties: {
          l: {
            type: "array",
            items: { type: "object", properties: { k: { type: "string" } } },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
          },
        },
      },
      { l: [{ k: "a" }, { k: "a" }] },
      ['spec.l[1]: Duplicate value: map[string]interface {}{"k":"a"}'],
    ],
    [
      "one of",
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 1 },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "any of",
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        "spec.a: Required value",
      ],
    ],
    [
      "all of",
      { allOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1 },
      ["spec.b: Required value", '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)'],
    ],
    [
      "not",
      { not: { required: ["a"] } },
      { a: 1 },
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      "an embedded resource",
      { properties: { r: { type: "object", "x-kubernetes-embedded-resource": true } } },
      { r: { kind: "Pod" } },
      ["spec.r.apiVersion: Required value: must not be empty"],
    ],
  ])("checks %s", (_name, schema, value, expected) => {
    expect(problems(schema, value)).toEqual(expected);
  });

  it("lets good values pass", () => {
    const schema = {
      properties: {
        i: { "x-kubernetes-int-or-string": true },
        n: { type: "number" },
        s: { type: "string", nullable: true },
        f: { type: "string", format: "made-up" },
        l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        o: {
          type: "object",
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
          properties: { a: { type: "string" } },
        },
        any: { "x-kubernetes-preserve-unknown-fields": true },
      },
    };
    expect(
      problems(schema, { i: "5%", n: 1, s: null, f: "?", l: ["a", "b"], o: { a: "" }, any: [1, "x", null] }),
    ).toEqual([]);
    expect(problems(schema, { i: 5 })).toEqual([]);
  });

  it.each([
    ["ipv4", "10.0.0.1", "10.0.0.256"],
    ["ipv6", "::1", "::g"],
    ["cidr", "10.0.0.0/8", "10.0.0.0/33"],
    ["email", "a@b.c", "nobody"],
    ["hostname", "a.example", "-a"],
    ["uri", "https://a.example/b", "b"],
    ["uuid", "0190b5b4-6d3a-7c3e-9d8f-000000000000", "0190"],
    ["date", "2024-02-28", "2024-02"],
    ["byte", "eA==", "e!"],
    ["duration", "1h30m", "soon"],
    ["mac", "01:23:45:67:89:ab", "01:23"],
  ])("knows the format %s", (format, good, bad) => {
    const schema = { properties: { v: { type: "string", format } } };
    expect(problems(schema, { v: good })).toEqual([]);
    expect(problems(schema, { v: bad })).toHaveLength(1);
  });

  it("says something about every value of a wrong type, whatever it is", () => {
    const schema = { properties: { n: { type: "integer" } } };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(problems(schema, { n: value }).length > 0).toBe(!Number.isInteger(value));
      }),
    );
  });
});
