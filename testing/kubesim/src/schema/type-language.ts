import type { FieldNode, ListNode, ObjectNode, PatchRule, ScalarType, SchemaNode } from "./schema-node.ts";

/**
 * The language the tables of built-in kinds are written in. A type starts at the left margin, its fields follow
 * indented, one or more per line:
 *
 *     ContainerPort: A port the container listens on.
 *       containerPort!: int32 -- Number of the port.
 *       hostIP, name: string
 *       protocol: string default(TCP) enum(SCTP, TCP, UDP)
 *       limits: {quantity}
 *       ports: [ContainerPort] keys(containerPort, protocol) merge(containerPort)
 *
 * After a field's name: `!` required, `~` always written out, `*` tells an explicit zero from a missing value.
 * Types: a scalar, `any`, a type of the table, `package.Type` of another table, `[T]` a list, `{T}` a map.
 */
export interface TypeTable {
  /** The prefix of the definitions' names in OpenAPI, such as `io.k8s.api.core.v1`. */
  readonly prefix: string;
  readonly source: string;
}

export type TypeLookup = (name: string) => ObjectNode;

const scalarTypes: ReadonlySet<string> = new Set<ScalarType>([
  "string",
  "int32",
  "int64",
  "number",
  "bool",
  "bytes",
  "quantity",
  "int-or-string",
  "time",
  "micro-time",
]);

const fieldLine = /^ {2}([\w$, !~*-]+): (\S+)((?: (?!-- )[^ (]+(?:\([^)]*\))?)*)(?: -- (.*))?$/;

/** Reads a table. A type's fields are read when first asked for, so a start pays only for what it uses. */
export function readTypes(table: TypeTable, lookup: TypeLookup): Map<string, ObjectNode> {
  const types = new Map<string, ObjectNode>();
  for (const block of table.source.split(/\n(?=\S)/)) {
    const [head = "", ...lines] = block.trimEnd().split("\n");
    const [, name, atomic, description] = /^(\w+)( atomic)?: (.+)$/.exec(head) ?? [];
    if (name === undefined) continue;
    types.set(
      name,
      lazyObject({
        name: `${table.prefix}.${name}`,
        description: description ?? "",
        atomic: atomic !== undefined,
        read: () => readFields(lines, lookup),
      }),
    );
  }
  return types;
}

interface LazyObject {
  readonly name: string;
  readonly description: string;
  readonly atomic: boolean;
  readonly read: () => ReadonlyMap<string, FieldNode>;
}

function lazyObject({ name, description, atomic, read }: LazyObject): ObjectNode {
  let fields: ReadonlyMap<string, FieldNode> | undefined;
  return {
    kind: "object",
    name,
    description,
    atomic,
    get fields(): ReadonlyMap<string, FieldNode> {
      fields ??= read();
      return fields;
    },
  };
}

function readFields(lines: readonly string[], lookup: TypeLookup): ReadonlyMap<string, FieldNode> {
  const fields = new Map<string, FieldNode>();
  for (const line of lines) {
    if (line.trim() === "") continue;
    const [, names, type, modifiers = "", description] = fieldLine.exec(line) ?? [];
    if (names === undefined || type === undefined) throw new SyntaxError(`not a field: ${line}`);
    for (const name of names.split(", ")) {
      const flags = /[!~*]*$/.exec(name)?.[0] ?? "";
      const fieldNode = readField(type, readModifiers(modifiers), lookup);
      fields.set(name.slice(0, name.length - flags.length), {
        ...fieldNode,
        ...(description === undefined ? {} : { description }),
        required: flags.includes("!"),
        always: flags.includes("~"),
        pointer: flags.includes("*"),
      });
    }
  }
  return fields;
}

type Modifiers = ReadonlyMap<string, readonly string[]>;

function readModifiers(source: string): Modifiers {
  return new Map(
    Array.from(source.matchAll(/([a-zA-Z]+)(?:\(([^)]*)\))?/g), ([, name = "", list = ""]) => [
      name,
      list === "" ? [] : list.split(",").map((word) => word.trim()),
    ]),
  );
}

function readField(type: string, modifiers: Modifiers, lookup: TypeLookup): FieldNode {
  const node = readType(type, modifiers, lookup);
  const patch = readPatchRule(modifiers);
  const fallback = modifiers.get("default")?.[0];
  return {
    node,
    ...(patch === undefined ? {} : { patch }),
    ...(fallback === undefined ? {} : { default: readDefault(fallback, node) }),
  };
}

function readType(type: string, modifiers: Modifiers, lookup: TypeLookup): SchemaNode {
  if (type.startsWith("[")) return readList(type, modifiers, lookup);
  if (type.startsWith("{")) {
    return {
      kind: "map",
      values: readType(type.slice(1, -1), new Map(), lookup),
      atomic: modifiers.has("atomic"),
    };
  }
  if (type === "any") return { kind: "any" };
  if (!isScalarType(type)) return lookup(type);
  const values = modifiers.get("enum");
  return { kind: "scalar", type, ...(values === undefined ? {} : { values }) };
}

/** A list that strategic patches merge is associative for server-side apply too, even where no list type is named. */
function readList(type: string, modifiers: Modifiers, lookup: TypeLookup): ListNode {
  const items = readType(type.slice(1, -1), modifiers, lookup);
  const declaredKeys = modifiers.get("keys");
  const keys = declaredKeys ?? modifiers.get("merge") ?? [];
  const declared = declaredKeys !== undefined || modifiers.has("set") || modifiers.has("atomic");
  if (modifiers.has("atomic")) return { kind: "list", items, listType: "atomic", keys: [], declared };
  if (keys.length > 0) return { kind: "list", items, listType: "map", keys, declared };
  const isSet = modifiers.has("set") || modifiers.has("merge");
  return { kind: "list", items, listType: isSet ? "set" : "atomic", keys: [], declared };
}

function readPatchRule(modifiers: Modifiers): PatchRule | undefined {
  const mergeKey = modifiers.get("merge")?.[0];
  const rule: PatchRule = {
    ...(modifiers.has("merge") ? { merge: true } : {}),
    ...(modifiers.has("replace") ? { replace: true } : {}),
    ...(modifiers.has("retainKeys") ? { retainKeys: true } : {}),
    ...(mergeKey === undefined ? {} : { mergeKey }),
  };
  return Object.keys(rule).length === 0 ? undefined : rule;
}

function readDefault(source: string, node: SchemaNode): unknown {
  const isText = node.kind === "scalar" && !["int32", "int64", "bool", "int-or-string"].includes(node.type);
  if (source === '""') return "";
  return isText || source.endsWith("%") ? source : JSON.parse(source);
}

function isScalarType(type: string): type is ScalarType {
  return scalarTypes.has(type);
}
