import type { FieldNode, ObjectNode, ScalarType, SchemaNode } from "../schema/schema-node.ts";
import { readTypes } from "../schema/type-language.ts";
import { readNumbers, type FieldNumbers, type NumberTable } from "./field-numbers.ts";
import { jsonSchemaTypes } from "./json-schema-types.ts";
import { deviatingTables, numberTables } from "./number-tables.ts";

/** The fields of a message by their numbers. */
export type MessageFields = ReadonlyMap<number, MessageField>;

type MessageField = NamedField | { readonly kind: "inlined"; readonly fields: MessageFields };

export interface NamedField {
  readonly kind: "named";
  readonly name: string;
  readonly node: SchemaNode;
  /**
   * Whether JSON writes a zero out. Protobuf writes every plain value, zero or not, so the others are to be dropped:
   * nobody can tell them from missing ones.
   */
  readonly keepsZero: boolean;
}

/** Joins the types of the schema tables with their numbers, when they are first asked for. */
export class MessageTypes {
  readonly #numbers: ReadonlyMap<string, FieldNumbers>;
  readonly #known = new WeakMap<ObjectNode, MessageFields>();

  /** Later tables replace types of earlier ones. */
  constructor(tables: readonly NumberTable[]) {
    this.#numbers = new Map(tables.flatMap((table) => [...readNumbers(table)]));
  }

  fieldsOf(type: ObjectNode): MessageFields {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const numbers = this.#numbers.get(type.name ?? "");
    if (numbers === undefined) throw new ReferenceError(`no table has the numbers of ${type.name}`);
    const fields = joined(numbers, type);
    this.#known.set(type, fields);
    return fields;
  }
}

function joined(numbers: FieldNumbers, type: ObjectNode): MessageFields {
  return new Map(
    Array.from(numbers, ([number, inner]): [number, MessageField] => [
      number,
      typeof inner === "string" ? namedField(inner, type) : { kind: "inlined", fields: joined(inner, type) },
    ]),
  );
}

function namedField(name: string, type: ObjectNode): NamedField {
  const field = type.fields.get(name);
  if (field === undefined)
    throw new ReferenceError(`${type.name} has a number for ${name}, but no such field`);
  const hidden = hiddenTypes.get(`${type.name}.${name}`);
  return { kind: "named", name, node: hidden ?? field.node, keepsZero: keepsZero(field) };
}

/** Fields that are JSON of any shape to the rest of the server, but have a type on the wire. */
const jsonSchemas = readTypes(jsonSchemaTypes, jsonSchema);
const hiddenTypes: ReadonlyMap<string, ObjectNode> = new Map([
  [`${jsonSchemaTypes.prefix}.CustomResourceValidation.openAPIV3Schema`, jsonSchema("JSONSchemaProps")],
]);

function jsonSchema(name: string): ObjectNode {
  const type = jsonSchemas.get(name);
  if (type === undefined) throw new ReferenceError(`no table describes the type ${name}`);
  return type;
}

function keepsZero({ node, pointer, required, always }: FieldNode): boolean {
  if (pointer === true || required === true || always === true) return true;
  return node.kind !== "scalar" || !droppedZeros.has(node.type);
}

/** The rest are messages of their own: there if they were written, whatever they say. */
const droppedZeros: ReadonlySet<ScalarType> = new Set([
  "string",
  "bool",
  "int32",
  "int64",
  "number",
  "bytes",
]);

/** Types that JSON knows by what they hold: a list, a schema or a flag. */
const unions: ReadonlySet<string> = new Set(
  ["JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"].map(
    (name) => `${jsonSchemaTypes.prefix}.${name}`,
  ),
);

export function isUnion(type: ObjectNode): boolean {
  return unions.has(type.name ?? "");
}

const currentTypes = new MessageTypes(numberTables);
const deviatingTypes: ReadonlyMap<string, MessageTypes> = new Map(
  Array.from(deviatingTables, ([apiVersion, table]) => [
    apiVersion,
    new MessageTypes([...numberTables, table]),
  ]),
);

/** The types as one version of the API numbers them. */
export function messageTypesOf(apiVersion: string): MessageTypes {
  return deviatingTypes.get(apiVersion) ?? currentTypes;
}
