import * as fc from "fast-check";

import type { ObjectNode, ScalarType, SchemaNode } from "../../schema/schema-node.ts";
import type { JsonRecord } from "../../store/json-value.ts";
import { isUnion, type MessageFields, type MessageTypes, type NamedField } from "../message-types.ts";

const mostFields = 4;
const deepest = 7;

/** Makes up objects of any type, in the form JSON gives them: without the zeros that it leaves out. */
export class ObjectSampler {
  readonly #generate: fc.GeneratorValue;
  readonly #types: MessageTypes;

  constructor(generate: fc.GeneratorValue, types: MessageTypes) {
    this.#generate = generate;
    this.#types = types;
  }

  object(type: ObjectNode, depth = 0): JsonRecord {
    if (depth > deepest) return {};
    const fields = namedFields(this.#types.fieldsOf(type));
    const names = fields.map(({ name }) => name);
    const chosen = this.#generate(fc.subarray<string>, names, {
      maxLength: Math.min(names.length, mostFields),
    });
    const entries = fields
      .filter(({ name }) => chosen.includes(name))
      .map(({ name, node, keepsZero }) => ({ name, keepsZero, value: this.#value(node, depth + 1) }))
      .filter(({ value, keepsZero }) => keepsZero || !isZero(value))
      .map(({ name, value }) => [name, value]);
    return Object.fromEntries(entries);
  }

  #value(node: SchemaNode, depth: number): unknown {
    switch (node.kind) {
      case "scalar":
        return this.#generate(() => scalars[node.type]);
      case "any":
        return this.#generate(() => json);
      case "list":
        return [this.#value(node.items, depth), this.#value(node.items, depth)];
      case "map":
        return { [this.#generate(fc.string)]: this.#value(node.values, depth) };
      case "object":
      default:
        return isUnion(node) ? this.#alternative(node, depth) : this.object(node, depth);
    }
  }

  #alternative(type: ObjectNode, depth: number): unknown {
    const fields = namedFields(this.#types.fieldsOf(type));
    const chosen = fields[this.#generate(fc.nat, fields.length - 1)];
    return chosen === undefined ? undefined : this.#value(chosen.node, depth);
  }
}

const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
const secondsText = seconds.map((second) => new Date(second * 1000).toISOString().slice(0, 19));
const micros = fc.integer({ min: 0, max: 999_999 }).map((micro) => String(micro).padStart(6, "0"));

const scalars: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: fc.string({ unit: "grapheme" }),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true }),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
  time: secondsText.map((text) => `${text}Z`),
  "micro-time": fc.tuple(secondsText, micros).map(([text, micro]) => `${text}.${micro}Z`),
  quantity: fc.constantFrom("0", "1", "250m", "1Gi", "-3"),
  "int-or-string": fc.oneof(fc.integer(), fc.string()),
};

/** Through its own text once, because that knows no minus zero. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

function namedFields(fields: MessageFields): NamedField[] {
  return [...fields.values()].flatMap((field) =>
    field.kind === "named" ? [field] : namedFields(field.fields),
  );
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}
