import type { TSchema } from "typebox";
import { describe, expect, test } from "vitest";

import {
  anything,
  choice,
  dateTime,
  exactlyOneOf,
  flag,
  integer,
  intOrString,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel } from "../schema/text-rule.ts";
import { checkDepth, createValidator } from "./validator.ts";

function problemsOf(schema: TSchema, value: unknown): string[] {
  const result = createValidator(object("", { field: schema }))({ field: value });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
}

describe("a value that is wrong", () => {
  const name = text("", dnsLabel);
  test.each<[string, TSchema, unknown, string]>([
    ["a number for a string", name, 5, "field must be a string, not a number"],
    ["a list for a string", name, [], "field must be a string, not a list"],
    ["an empty string", name, "", "field must not be empty"],
    ["a string that is too long", name, "a".repeat(64), "field must be at most 63 characters long"],
    [
      "a string that is too short",
      text("", { minLength: 3, maxLength: 9 }),
      "ab",
      "field must be at least 3 characters long",
    ],
    ["a string of the wrong form", name, "Web", `field must be ${dnsLabel.expects}`],
    [
      "NUL, which PostgreSQL cannot store",
      text("", { maxLength: 9 }),
      "a\0b",
      "field must not contain NUL characters",
    ],
    ["half of a surrogate pair", text("", { maxLength: 9 }), "\ud83d", "field must be valid Unicode"],
    [
      "a day that does not exist",
      dateTime(""),
      "2026-02-30T00:00:00Z",
      "field must be a time such as 2026-01-31T12:00:00Z",
    ],
    ["a string for a flag", flag(""), "true", "field must be true or false, not a string"],
    [
      "a string for a number",
      integer("", { minimum: 0, maximum: 9 }),
      "5",
      "field must be a whole number, not a string",
    ],
    ["a fraction", integer("", { minimum: 0, maximum: 9 }), 1.5, "field must be a whole number"],
    [
      "infinity",
      integer("", { minimum: 0, maximum: 9 }),
      Number.POSITIVE_INFINITY,
      "field must be a whole number",
    ],
    ["a number that is too small", integer("", { minimum: 1, maximum: 9 }), 0, "field must be at least 1"],
    ["a number that is too large", integer("", { minimum: 1, maximum: 9 }), 10, "field must be at most 9"],
    ["no choice", choice("", ["delete", "retain"]), "keep", "field must be one of delete, retain"],
    [
      "nearly a choice",
      choice("", ["delete", "retain"]),
      "Delete",
      "field must be one of delete, retain; did you mean «delete»?",
    ],
    ["no list", list("", name, { maxItems: 2 }), "a", "field must be a list, not a string"],
    ["too many items", list("", name, { maxItems: 2 }), ["a", "b", "c"], "field must have at most 2 items"],
    ["too few items", list("", name, { minItems: 1, maxItems: 2 }), [], "field must have at least 1 item"],
    ["a bad item", list("", name, { maxItems: 2 }), ["a", "B"], `field[1] must be ${dnsLabel.expects}`],
    ["nothing as an item", list("", name, { maxItems: 2 }), [null], "field[0] must be a string, not nothing"],
    [
      "an item twice",
      list("", name, { maxItems: 3, unique: true }),
      ["a", "b", "a"],
      "field[2] is in the list already",
    ],
    [
      "a key twice",
      list("", object("", { name }), { maxItems: 3, uniqueBy: "name" }),
      [{ name: "a" }, { name: "a" }],
      "field[1] has the same name as an item before it",
    ],
    [
      "no map",
      map("", name, { keys: dnsLabel, maxProperties: 1 }),
      "a",
      "field must be an object, not a string",
    ],
    [
      "too many keys",
      map("", name, { keys: dnsLabel, maxProperties: 1 }),
      { a: "a", b: "b" },
      "field must have at most 1 key",
    ],
    [
      "a bad key",
      map("", name, { keys: dnsLabel, maxProperties: 1 }),
      { "A b": "a" },
      `field["A b"] is not a valid key: it must be ${dnsLabel.expects}`,
    ],
    [
      "a bad value",
      map("", name, { keys: dnsLabel, maxProperties: 1 }),
      { a: 1 },
      "field.a must be a string, not a number",
    ],
    [
      "none of exactly one",
      exactlyOneOf("", { a: optional(name), b: optional(name) }),
      {},
      "field must have exactly one of a, b",
    ],
    [
      "both of exactly one",
      exactlyOneOf("", { a: optional(name), b: optional(name) }),
      { a: "a", b: "b" },
      "field must have exactly one of a, b",
    ],
    [
      "neither number nor string",
      intOrString("", { maxLength: 5 }),
      true,
      "field must be a number or a string, not true or false",
    ],
    [
      "what JSON cannot hold",
      anything(""),
      { a: [1n] },
      "field.a[0] must be JSON, not something that JSON cannot hold",
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(problemsOf(schema, value)).toEqual([expected]);
  });
});

describe("an object", () => {
  const schema = object("", {
    name: text("", dnsLabel),
    placement: optional(text("", { maxLength: 9 })),
    prune: withDefault(flag(""), true),
    nested: withDefault(object("", { size: withDefault(integer("", { minimum: 0, maximum: 9 }), 3) }), {
      size: 3,
    }),
  });
  const validate = createValidator(schema);

  test("gets its defaults, also nested ones, and its fields in the order of the schema", () => {
    const result = validate({ nested: {}, name: "web" });
    expect(result).toEqual({ ok: true, value: { name: "web", prune: true, nested: { size: 3 } } });
    expect(result.ok && Object.keys(result.value)).toEqual(["name", "prune", "nested"]);
  });

  test("is a copy, and so are its defaults", () => {
    const input = Object.freeze({ name: "web" });
    const first = validate(input);
    const second = validate(input);
    if (!first.ok || !second.ok) throw new Error("refused");
    first.value.nested.size = 9;
    expect(second.value.nested.size).toBe(3);
    expect(validate(input)).toEqual(second);
  });

  test("takes nothing behind a key as no key, as YAML writes it", () => {
    expect(validate({ name: "web", prune: null, placement: null })).toEqual(validate({ name: "web" }));
  });

  test("tells everything that is wrong with it, in one go", () => {
    expect(validate({ placment: "x", prune: 1 })).toEqual({
      ok: false,
      problems: [
        { path: "name", message: "is required" },
        { path: "prune", message: "must be true or false, not a number" },
        { path: "placment", message: "is an unknown field; did you mean «placement»?" },
      ],
    });
  });

  test("tells no more than 20 problems, however many there are", () => {
    const result = validate(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1])),
    );
    expect(!result.ok && result.problems).toHaveLength(20);
  });

  test.each(["__proto__", "constructor", "prototype"])("refuses the key %s", (key) => {
    const result = validate(JSON.parse(`{"name": "web", "${key}": {"polluted": true}}`));
    expect(!result.ok && result.problems).toEqual([{ path: key, message: "is not allowed as a key" }]);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("does not take a field from a prototype", () => {
    expect(validate(Object.create({ name: "web" })).ok).toBe(false);
  });

  test("never shows a value that was refused", () => {
    const result = validate({ name: "Hunter2!", placement: "hunter2 hunter2" });
    expect(JSON.stringify(result)).not.toMatch(/hunter2/i);
  });
});

describe("limits on text", () => {
  test("count characters, as JSON Schema does, and not halves of surrogate pairs", () => {
    const schema = text("", { maxLength: 3 });
    expect(problemsOf(schema, "😀😀😀")).toEqual([]);
    expect(problemsOf(schema, "😀😀😀😀")).toEqual(["field must be at most 3 characters long"]);
  });

  test("a minus zero becomes a zero, which is what JSON would make of it", () => {
    const validate = createValidator(object("", { size: integer("", { minimum: -1, maximum: 1 }) }));
    const result = validate({ size: -0 });
    expect(result.ok && Object.is(result.value.size, 0)).toBe(true);
  });
});

test("a schema that would be read wrongly is refused when it is compiled", () => {
  expect(() => createValidator({ anyOf: [{ type: "string" }, { type: "null" }] })).toThrow("anyOf");
});

function nestedArrays(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

test("allows as many levels as it says and no more", () => {
  expect(checkDepth(nestedArrays(32))).toBeUndefined();
  expect(checkDepth(nestedArrays(33))).toEqual({
    path: "",
    message: "must not be nested deeper than 32 levels",
  });
  expect(checkDepth({ a: { b: {} } }, { maxDepth: 2 })).toBeDefined();
});

test("needs no stack for what is very deep", () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 1_000_000; depth += 1) value = { value };
  expect(checkDepth(value)).toBeDefined();
});

test("counts values at every level", () => {
  expect(checkDepth({ a: [1, 2], b: [3] }, { maxValues: 6 })).toBeUndefined();
  expect(checkDepth({ a: [1, 2], b: [3] }, { maxValues: 5 })).toEqual({
    path: "",
    message: "must not hold more than 5 values",
  });
});

test.each([undefined, null, 5, "text", true])("%j has no depth", (value) => {
  expect(checkDepth(value)).toBeUndefined();
});
