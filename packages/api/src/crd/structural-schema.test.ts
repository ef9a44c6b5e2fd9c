import { Type, type TSchema } from "typebox";
import { describe, expect, test } from "vitest";

import { kinds } from "../kinds/kinds.ts";
import {
  anything,
  choice,
  dateTime,
  exactlyOneOf,
  integer,
  intOrString,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { dnsLabel } from "../schema/text-rule.ts";
import { structuralProblems } from "../testing/structural-problems.ts";
import { toStructuralSchema } from "./structural-schema.ts";

describe("toStructuralSchema", () => {
  const name = text("Its name.", { maxLength: 9 });
  test.each<[string, TSchema, object]>([
    [
      "text",
      text("A name.", dnsLabel),
      { type: "string", description: "A name.", pattern: dnsLabel.pattern, minLength: 1, maxLength: 63 },
    ],
    [
      "a time",
      dateTime("When."),
      { type: "string", description: "When.", format: "date-time", maxLength: 35 },
    ],
    [
      "a number with limits",
      integer("How many.", { minimum: 0, maximum: 9 }),
      { type: "integer", description: "How many.", minimum: 0, maximum: 9 },
    ],
    [
      "exclusive limits",
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    ],
    ["a choice", choice("Which.", ["a", "b"]), { type: "string", description: "Which.", enum: ["a", "b"] }],
    ["a constant", Type.Literal("a"), { type: "string", enum: ["a"] }],
    [
      "a union of constants",
      Type.Union([Type.Literal("a"), Type.Literal("b")]),
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "a number or a string",
      intOrString("A port.", { maxLength: 15 }),
      { "x-kubernetes-int-or-string": true, description: "A port.", maxLength: 15 },
    ],
    [
      "a union of number and string",
      Type.Union([Type.Integer(), Type.String()]),
      { "x-kubernetes-int-or-string": true },
    ],
    ["a value or null", Type.Union([Type.String(), Type.Null()]), { type: "string", nullable: true }],
    ["any JSON", anything("What."), { description: "What.", "x-kubernetes-preserve-unknown-fields": true }],
    [
      "a list",
      list("Names.", name, { maxItems: 2 }),
      {
        type: "array",
        description: "Names.",
        maxItems: 2,
        items: { type: "string", description: "Its name.", maxLength: 9 },
      },
    ],
    [
      "a set",
      list("Names.", name, { maxItems: 2, unique: true }),
      {
        type: "array",
        description: "Names.",
        maxItems: 2,
        "x-kubernetes-list-type": "set",
        items: { type: "string", description: "Its name.", maxLength: 9 },
      },
    ],
    [
      "a list by key",
      list("Things.", object("A thing.", { name }), { maxItems: 2, uniqueBy: "name" }),
      {
        type: "array",
        description: "Things.",
        maxItems: 2,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          description: "A thing.",
          properties: { name: { type: "string", description: "Its name.", maxLength: 9 } },
          required: ["name"],
        },
      },
    ],
    [
      "a map",
      map("Labels.", name, { keys: dnsLabel, maxProperties: 3 }),
      {
        type: "object",
        description: "Labels.",
        maxProperties: 3,
        additionalProperties: { type: "string", description: "Its name.", maxLength: 9 },
      },
    ],
    [
      "an object, whose defaults make fields optional",
      object("A thing.", { name, size: withDefault(integer("Size.", { minimum: 0, maximum: 9 }), 3) }),
      {
        type: "object",
        description: "A thing.",
        properties: {
          name: { type: "string", description: "Its name.", maxLength: 9 },
          size: { type: "integer", description: "Size.", minimum: 0, maximum: 9, default: 3 },
        },
        required: ["name"],
      },
    ],
    [
      "exactly one field",
      exactlyOneOf("Either.", { name: optional(name) }),
      {
        type: "object",
        description: "Either.",
        minProperties: 1,
        maxProperties: 1,
        properties: { name: { type: "string", description: "Its name.", maxLength: 9 } },
      },
    ],
  ])("says %s", (_, schema, expected) => {
    const structural = toStructuralSchema(schema);
    expect(structural).toEqual(expected);
    expect(structuralProblems(structural)).toEqual([]);
  });

  test.each<[string, JsonSchema]>([
    ["a union of different objects", { anyOf: [{ type: "object" }, { type: "string" }] }],
    ["unique items that are no set", { type: "array", items: { type: "string" }, uniqueItems: true }],
    ["an empty string as a default", { type: "string", default: "" }],
    ["a keyword that it does not know", Object.assign(Type.String(), { contentEncoding: "base64" })],
  ])("refuses %s instead of leaving it out", (_, schema) => {
    expect(() => toStructuralSchema(schema)).toThrow("The schema of a custom resource cannot say");
  });

  test.each(kinds)("$kind could be a custom resource as it is", (kind) => {
    for (const schema of [kind.spec, kind.status]) {
      expect(structuralProblems(toStructuralSchema(schema))).toEqual([]);
    }
  });
});

describe("structuralProblems", () => {
  test.each([
    ["no type", {}],
    ["a reference", { type: "object", $ref: "#/x" }],
    ["closed properties", { type: "object", additionalProperties: false }],
    ["unique items", { type: "array", items: { type: "string" }, uniqueItems: true }],
    ["a list without items", { type: "array" }],
    [
      "a list by a key that may be missing",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        items: { type: "object", properties: { a: { type: "string" } } },
      },
    ],
    ["our own keywords", { type: "string", "x-bowline-expects": "x" }],
  ])("finds %s", (_, schema) => {
    expect(structuralProblems(schema)).toHaveLength(1);
  });
});
