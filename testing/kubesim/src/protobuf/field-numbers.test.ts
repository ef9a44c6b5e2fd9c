import { describe, expect, it } from "vitest";

import { allBuiltinTypes } from "../schema/builtin.ts";
import { readTypes } from "../schema/type-language.ts";
import { readNumbers, type FieldNumbers } from "./field-numbers.ts";
import { jsonSchemaTypes } from "./json-schema-types.ts";
import { deviatingTables, numberTables } from "./number-tables.ts";

describe("the language of the numbers", () => {
  const types = readNumbers({
    prefix: "test",
    source: `
Box: name 3 width height
  depth
Lid: {id 5 side} {color} box
Air:
`,
  });

  it("counts from one, and on from where a number says", () => {
    expect(types.get("test.Box")).toEqual(
      new Map([
        [1, "name"],
        [3, "width"],
        [4, "height"],
        [5, "depth"],
      ]),
    );
    expect(types.get("test.Air")).toEqual(new Map());
  });

  it("counts anew in a message within the message", () => {
    const inner = new Map([
      [1, "id"],
      [5, "side"],
    ]);
    expect([...(types.get("test.Lid") ?? [])]).toEqual([
      [1, inner],
      [2, new Map([[1, "color"]])],
      [3, "box"],
    ]);
  });
});

describe("the tables of numbers", () => {
  const hidden = readTypes(jsonSchemaTypes, () => ({ kind: "object", fields: new Map() }));
  const types = new Map([...allBuiltinTypes(), ...hidden.values()].map((type) => [type.name, type]));
  const allTables = [...numberTables, ...deviatingTables.values()];
  const tables = allTables.map((table) => readNumbers(table));
  const sources = allTables.map(({ source }) => source);

  it("have a number for every field there is", () => {
    const numbered = new Set(tables.flatMap((table) => fieldsIn(table)));
    const fields = [...types.values()].flatMap((type) =>
      Array.from(type.fields.keys(), (field) => `${type.name}.${field}`),
    );
    expect(fields.filter((field) => !numbered.has(field))).toEqual([]);
    expect(fields.length).toBeGreaterThan(1000);
  });

  it("have no number for a field that is not there", () => {
    const unknown = tables.flatMap((table) =>
      Array.from(table, ([name, numbers]) =>
        namesIn(numbers)
          .filter((field) => types.get(name)?.fields.has(field) !== true)
          .map((field) => `${name}.${field}`),
      ).flat(),
    );
    expect(unknown).toEqual([]);
  });

  it("say nothing twice, and go up", () => {
    for (const [index, table] of tables.entries()) {
      const fields = fieldsIn(table);
      expect(fields.filter((field, at) => fields.indexOf(field) !== at)).toEqual([]);
      expect(table.size).toBe(sources[index]?.match(/^\w+:/gm)?.length);
      const falling = [...table].filter(([, numbers]) => !isRising([...numbers.keys()]));
      expect(falling).toEqual([]);
    }
  });
});

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

function fieldsIn(table: ReadonlyMap<string, FieldNumbers>): string[] {
  return Array.from(table, ([type, numbers]) => namesIn(numbers).map((field) => `${type}.${field}`)).flat();
}

function namesIn(numbers: FieldNumbers): string[] {
  return [...numbers.values()].flatMap((field) => (typeof field === "string" ? [field] : namesIn(field)));
}
