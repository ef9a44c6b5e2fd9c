import { expect, test } from "vitest";

import { flag, integer, list, object, optional, text, withDefault } from "./build.ts";
import { fillDefaults } from "./fill-defaults.ts";

const name = text("", { maxLength: 9 });
const limit = object("", {
  count: withDefault(integer("", { minimum: 0, maximum: 99 }), 10),
  percent: withDefault(integer("", { minimum: 0, maximum: 99 }), 25),
});
const schema = object("", {
  name,
  prune: withDefault(flag(""), true),
  limit: withDefault(limit, { count: 10, percent: 25 }),
  rules: withDefault(list("", object("", { name, on: withDefault(flag(""), false) }), { maxItems: 9 }), []),
  source: optional(object("", { ref: withDefault(name, "main") })),
});

test("adds what is missing, also inside of what is there", () => {
  const value: object = {
    name: "a",
    limit: { count: 3 },
    rules: [{ name: "x" }, { name: "y", on: true }],
    source: {},
  };
  expect(fillDefaults(schema, value)).toEqual({
    name: "a",
    prune: true,
    limit: { count: 3, percent: 25 },
    rules: [
      { name: "x", on: false },
      { name: "y", on: true },
    ],
    source: { ref: "main" },
  });
});

test("leaves out what is optional and not there, and what it does not know", () => {
  expect(fillDefaults<object>(schema, { name: "a", unknown: 1 })).toEqual({
    name: "a",
    unknown: 1,
    prune: true,
    limit: { count: 10, percent: 25 },
    rules: [],
  });
});

test("returns the very same value where nothing is missing, and what it cannot make sense of", () => {
  const value = {
    name: "a",
    prune: false,
    limit: { count: 1, percent: 2 },
    rules: [{ name: "x", on: true }],
  };
  expect(fillDefaults(schema, value)).toBe(value);
  expect(fillDefaults<unknown>(schema, "text")).toBe("text");
  expect(fillDefaults<unknown>(schema, { ...value, limit: "much" })).toEqual({ ...value, limit: "much" });
});

test("no two values share a default", () => {
  const [first, second] = [{ name: "a" }, { name: "b" }].map((value) => fillDefaults<object>(schema, value));
  expect(Reflect.get(first ?? {}, "limit")).not.toBe(Reflect.get(second ?? {}, "limit"));
});
