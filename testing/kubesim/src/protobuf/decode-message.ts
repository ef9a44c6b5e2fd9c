import type { ListNode, ObjectNode, ScalarType, SchemaNode } from "../schema/schema-node.ts";
import { isUnion, type MessageFields, type MessageTypes, type NamedField } from "./message-types.ts";
import { intOrStringOf, microTimeOf, quantityOf, rawJsonOf, timeOf } from "./special-types.ts";
import { WireError, WireReader } from "./wire-reader.ts";

type Fields = Record<string, unknown>;

/** Deeper than any type but schemas within schemas, and far from the end of the stack. */
const deepest = 100;

/** Turns a message into the object that JSON would have held. Throws a `WireError` where that cannot be done. */
export function decodeMessage(message: Buffer, type: ObjectNode, types: MessageTypes): Fields {
  const object: Fields = {};
  new MessageDecoder(types).readInto(object, message, types.fieldsOf(type));
  return object;
}

class MessageDecoder {
  readonly #types: MessageTypes;
  #depth = 0;

  constructor(types: MessageTypes) {
    this.#types = types;
  }

  readInto(target: Fields, message: Buffer, fields: MessageFields): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw new WireError(`messages are nested more than ${deepest} deep`);
    const reader = new WireReader(message);
    for (const number of reader.fields()) {
      const field = fields.get(number);
      // A field of a newer version is dropped, as it is from JSON.
      if (field === undefined) reader.skip();
      else if (field.kind === "inlined") this.readInto(target, reader.bytes(), field.fields);
      else this.#readField(target, field, reader);
    }
    this.#depth -= 1;
  }

  #readField(target: Fields, { name, node, keepsZero }: NamedField, reader: WireReader): void {
    const before = target[name];
    if (node.kind === "list") {
      target[name] = this.#addItems(reader, node, Array.isArray(before) ? before : []);
    } else if (node.kind === "map") {
      target[name] = this.#addEntry(reader.bytes(), node.values, isFields(before) ? before : {});
    } else {
      const value = this.#value(reader, node, before);
      if (value === undefined || (!keepsZero && isZero(value))) delete target[name];
      else target[name] = value;
    }
  }

  /** A repeated field holds one item at a time; numbers may also come all at once. */
  #addItems(reader: WireReader, { items }: ListNode, list: unknown[]): unknown[] {
    if (isInteger(items) && reader.isBytes) {
      for (const value of reader.packedVarints()) list.push(value);
    } else list.push(this.#value(reader, items) ?? null);
    return list;
  }

  /** A map is a list of messages with a key and a value, of which either may be missing if it is empty. */
  #addEntry(entry: Buffer, values: SchemaNode, map: Fields): Fields {
    const reader = new WireReader(entry);
    let key = "";
    let value: { readonly read: unknown } | undefined;
    for (const field of reader.fields()) {
      if (field === 1) key = reader.text();
      else if (field === 2) value = { read: this.#value(reader, values) };
      else reader.skip();
    }
    value ??= { read: this.#value(emptyField(), values) };
    setOwn(map, key, value.read ?? null);
    return map;
  }

  #value(reader: WireReader, node: SchemaNode, before?: unknown): unknown {
    switch (node.kind) {
      case "scalar":
        return scalarReaders[node.type](reader);
      case "any":
        return rawJsonOf(reader.bytes());
      case "object":
        return this.#object(reader.bytes(), node, before);
      case "list":
        return this.#wrappedList(reader.bytes(), node);
      case "map":
      default:
        throw new WireError("maps are fields of objects and nothing else");
    }
  }

  /** A message that comes in parts is the sum of them. */
  #object(message: Buffer, type: ObjectNode, before: unknown): unknown {
    const target = isFields(before) && !isUnion(type) ? before : {};
    this.readInto(target, message, this.#types.fieldsOf(type));
    return isUnion(type) ? (target["list"] ?? target["schema"] ?? target["allows"]) : target;
  }

  /** A list that is the value of a map is a message with that list as its only field. */
  #wrappedList(message: Buffer, node: ListNode): unknown[] {
    const reader = new WireReader(message);
    const list: unknown[] = [];
    for (const field of reader.fields()) {
      if (field === 1) this.#addItems(reader, node, list);
      else reader.skip();
    }
    return list;
  }
}

const scalarReaders: Readonly<Record<ScalarType, (reader: WireReader) => unknown>> = {
  string: (reader) => reader.text(),
  bool: (reader) => reader.varint() !== 0,
  int32: (reader) => reader.varint(),
  int64: (reader) => reader.varint(),
  number: (reader) => reader.double(),
  bytes: (reader) => reader.bytes().toString("base64"),
  time: (reader) => timeOf(reader.bytes()),
  "micro-time": (reader) => microTimeOf(reader.bytes()),
  quantity: (reader) => quantityOf(reader.bytes()),
  "int-or-string": (reader) => intOrStringOf(reader.bytes()),
};

/** A reader that stands before a field without content. */
function emptyField(): WireReader {
  const reader = new WireReader(Buffer.of((2 << 3) | 2, 0));
  reader.fields().next();
  return reader;
}

function isInteger(node: SchemaNode): boolean {
  return node.kind === "scalar" && (node.type === "int32" || node.type === "int64");
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Assigning to a key that a client calls `__proto__` would change what the object is. */
function setOwn(map: Fields, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
}
