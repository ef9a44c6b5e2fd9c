import { isRecord } from "@bowline/core";

import { builtinSchema, builtinType } from "../../schema/builtin.ts";
import type { ListNode, ObjectNode, ScalarType, SchemaNode } from "../../schema/schema-node.ts";
import type { JsonRecord } from "../../store/json-value.ts";
import { parseApiVersion } from "../../store/resource-type.ts";
import {
  isUnion,
  messageTypesOf,
  type MessageFields,
  type MessageTypes,
  type NamedField,
} from "../message-types.ts";

/** The opposite of `parseProtobufObject`, by the same tables: what a client would send for an object. */
export function encodeObject(object: JsonRecord): Buffer {
  const apiVersion = String(object["apiVersion"]);
  const kind = String(object["kind"]);
  const { group, version } = parseApiVersion(apiVersion);
  const type =
    kind === "DeleteOptions" ? builtinType("meta.DeleteOptions") : builtinSchema(group, kind, version);
  if (type === undefined) throw new TypeError(`${apiVersion} has no built-in kind ${kind}`);
  const encoder = new Encoder(messageTypesOf(apiVersion));
  return encodeEnvelope({ apiVersion, kind }, encoder.object(object, type));
}

export function encodeEnvelope(names: { apiVersion: string; kind: string }, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([bytesField(1, text(names.apiVersion)), bytesField(2, text(names.kind))]);
  const nothing = Buffer.alloc(0);
  return Buffer.concat([
    text("k8s\0"),
    bytesField(1, typeMeta),
    bytesField(2, raw),
    bytesField(3, nothing),
    bytesField(4, nothing),
  ]);
}

export function bytesField(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

class Encoder {
  readonly #types: MessageTypes;

  constructor(types: MessageTypes) {
    this.#types = types;
  }

  object(object: JsonRecord, type: ObjectNode): Buffer {
    return this.#message(object, this.#types.fieldsOf(type));
  }

  #message(object: JsonRecord, fields: MessageFields): Buffer {
    const parts = Array.from(fields, ([number, field]) =>
      field.kind === "inlined"
        ? bytesField(number, this.#message(object, field.fields))
        : this.#field(number, field, object[field.name]),
    );
    return Buffer.concat(parts);
  }

  #field(number: number, { node, keepsZero }: NamedField, value: unknown): Buffer {
    if (value === undefined) {
      // Clients write every plain value, also the zeros that JSON leaves out.
      const zero = node.kind === "scalar" && !keepsZero ? zeros[node.type] : undefined;
      return zero === undefined ? Buffer.alloc(0) : this.#value(number, node, zero);
    }
    if (node.kind === "list") return this.#items(number, node, value);
    if (node.kind === "map") return this.#entries(number, node.values, value);
    return this.#value(number, node, value);
  }

  #items(number: number, { items }: ListNode, value: unknown): Buffer {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return Buffer.concat(list.map((item) => this.#value(number, items, item)));
  }

  #entries(number: number, values: SchemaNode, value: unknown): Buffer {
    const entries = Object.entries(isRecord(value) ? value : {}).map(([key, item]) =>
      bytesField(number, Buffer.concat([bytesField(1, text(key)), this.#value(2, values, item)])),
    );
    return Buffer.concat(entries);
  }

  #value(number: number, node: SchemaNode, value: unknown): Buffer {
    switch (node.kind) {
      case "scalar":
        return scalarWriters[node.type](number, value);
      case "any":
        return bytesField(number, bytesField(1, text(JSON.stringify(value))));
      case "list":
        return bytesField(number, this.#items(1, node, value));
      case "object":
        return bytesField(number, this.object(isUnion(node) ? tagged(value) : asRecord(value), node));
      case "map":
      default:
        throw new TypeError("maps are fields of objects and nothing else");
    }
  }
}

function tagged(value: unknown): JsonRecord {
  if (Array.isArray(value)) return { list: value };
  return typeof value === "boolean" ? { allows: value } : { schema: value };
}

const zeros: Readonly<Partial<Record<ScalarType, unknown>>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  number: 0,
};

const scalarWriters: Readonly<Record<ScalarType, (number: number, value: unknown) => Buffer>> = {
  string: (number, value) => bytesField(number, text(String(value))),
  bool: (number, value) => varintField(number, value === true ? 1 : 0),
  int32: (number, value) => varintField(number, Number(value)),
  int64: (number, value) => varintField(number, Number(value)),
  number: (number, value) => {
    const double = Buffer.alloc(8);
    double.writeDoubleLE(Number(value));
    return Buffer.concat([varint(number * 8 + 1), double]);
  },
  bytes: (number, value) => bytesField(number, Buffer.from(String(value), "base64")),
  time: (number, value) => bytesField(number, timestamp(String(value))),
  "micro-time": (number, value) => bytesField(number, timestamp(String(value))),
  quantity: (number, value) => bytesField(number, bytesField(1, text(String(value)))),
  "int-or-string": (number, value) =>
    bytesField(
      number,
      typeof value === "number"
        ? Buffer.concat([varintField(1, 0), varintField(2, value), bytesField(3, text(""))])
        : Buffer.concat([varintField(1, 1), varintField(2, 0), bytesField(3, text(String(value)))]),
    ),
};

function timestamp(value: string): Buffer {
  const [, seconds = "", micros = "0"] = /^(.{19})(?:\.(\d{6}))?Z$/.exec(value) ?? [];
  return Buffer.concat([
    varintField(1, Date.parse(`${seconds}Z`) / 1000),
    varintField(2, Number(micros) * 1000),
  ]);
}

function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function text(value: string): Buffer {
  return Buffer.from(value, "utf8");
}

function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
