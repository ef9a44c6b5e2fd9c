import { describe, expect, it } from "vitest";
import type { ObjectNode } from "./schema-node.ts";
import { readTypes } from "./type-language.ts";

const other: ObjectNode = { kind: "object", name: "other.Type", fields: new Map() };

function read(source: string): Map<string, ObjectNode> {
  const types: Map<string, ObjectNode> = readTypes(
    { prefix: "test", source },
    (name) => types.get(name) ?? other,
  );
  return types;
}

describe("the language of the tables", () => {
  const types = read(`
Box: A thing with things in it.
  name!: string -- What it is called.
  width, height: int32 default(1)
  color: string enum(red, green) default(red)
  lid~: Lid
  open*: bool
  tags: [string] set
  parts: [Lid] keys(id, side) merge(id) retainKeys
  notes: {string}
  extra: any
  foreign: other.Type

Lid atomic: What closes it.
  id: string
  side: string default(top)
  box: Box
`);
  const box = types.get("Box");

  it("reads names, descriptions and flags", () => {
    expect(box).toMatchObject({
      kind: "object",
      name: "test.Box",
      description: "A thing with things in it.",
    });
    expect(box?.fields.get("name")).toMatchObject({ required: true, description: "What it is called." });
    expect(box?.fields.get("lid")).toMatchObject({ always: true, required: false });
    expect(box?.fields.get("open")).toMatchObject({ pointer: true });
    expect(types.get("Lid")?.atomic).toBe(true);
  });

  it("reads several fields from one line", () => {
    expect(box?.fields.get("width")).toEqual(box?.fields.get("height"));
    expect(box?.fields.get("width")?.default).toBe(1);
  });

  it("reads scalars with their choices, lists, maps, and types of other tables", () => {
    expect(box?.fields.get("color")).toMatchObject({ default: "red", node: { values: ["red", "green"] } });
    expect(box?.fields.get("tags")?.node).toMatchObject({ kind: "list", listType: "set" });
    expect(box?.fields.get("parts")).toMatchObject({
      node: { kind: "list", listType: "map", keys: ["id", "side"], declared: true },
      patch: { merge: true, mergeKey: "id", retainKeys: true },
    });
    expect(box?.fields.get("notes")?.node).toMatchObject({
      kind: "map",
      values: { kind: "scalar", type: "string" },
    });
    expect(box?.fields.get("extra")?.node).toEqual({ kind: "any" });
    expect(box?.fields.get("foreign")?.node).toBe(other);
  });

  it("lets types refer to each other", () => {
    expect(types.get("Lid")?.fields.get("box")?.node).toBe(box);
  });

  it("refuses what it cannot read", () => {
    expect(() => read("Box: A box.\n  no colon here\n").get("Box")?.fields).toThrow(SyntaxError);
  });
});
