import { describe, expect, test } from "vitest";

import { statusOf } from "../bodies/status.ts";
import { object, optional, secret, text } from "../schema/build.ts";
import { defineKind, type KindDefinition } from "./define-kind.ts";

const spec = object("", {
  owner: text("", { maxLength: 9 }),
  password: optional(secret(text("", { maxLength: 9 }))),
});
const status = statusOf({});
const definition: KindDefinition<"Thing", typeof spec, typeof status> = {
  kind: "Thing",
  plural: "things",
  description: "A thing.",
  spec,
  status,
  columns: [{ header: "OWNER", path: "spec.owner" }],
};

describe("defineKind", () => {
  test("finds the secret fields in the schema, and keeps them out of what is returned", () => {
    const thing = defineKind(definition);
    expect(thing.secretFields).toEqual(["spec.password"]);
    expect(thing.schemas.stored.properties?.["spec"]?.properties).toHaveProperty("password");
    expect(thing.schemas.read.properties?.["spec"]?.properties).not.toHaveProperty("password");
    expect(thing.schemas.created.properties?.["spec"]?.properties).not.toHaveProperty("password");
  });

  test("knows what is issued once, and keeps it out of every other answer", () => {
    const thing = defineKind({ ...definition, issued: { key: text("", { maxLength: 9 }) } });
    expect(thing.issued).toEqual(["key"]);
    expect(thing.schemas.created.properties?.["status"]?.properties).toHaveProperty("key");
    expect(thing.schemas.read.properties?.["status"]?.properties).not.toHaveProperty("key");
  });

  test.each([
    ["a column", { columns: [{ header: "X", path: "spec.onwer" }] }],
    ["a column of a secret", { columns: [{ header: "X", path: "spec.password" }] }],
    ["a filter", { filterable: ["spec.onwer"] }],
    ["a filter on a secret", { filterable: ["spec.password"] }],
    ["a filter on an object", { filterable: ["spec"] }],
    ["a reference", { references: [{ field: "spec.onwer", kind: "User", cascade: "refuse" }] }],
    ["an immutable field", { immutable: ["spec.onwer"] }],
    ["a derived field", { derived: { fields: ["keys"], of: () => ({}) } }],
    ["an author", { recordsAuthor: true }],
  ] as const)("refuses %s that is not there to read", (_, mistake) => {
    expect(() => defineKind({ ...definition, ...mistake })).toThrow(
      expect.objectContaining({ code: "Internal" }),
    );
  });
});
