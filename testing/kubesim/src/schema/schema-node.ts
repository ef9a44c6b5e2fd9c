/**
 * How the simulator describes the fields of a kind, built-in or custom. Patches, server-side apply, pruning,
 * defaulting, validation and OpenAPI all read this one description.
 */
export type SchemaNode = ScalarNode | ObjectNode | MapNode | ListNode | AnyNode;

export type ScalarType =
  | "string"
  | "int32"
  | "int64"
  | "number"
  | "bool"
  | "bytes"
  | "quantity"
  | "int-or-string"
  | "time"
  | "micro-time";

export interface ScalarNode {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** The only values allowed, in the order the server lists them. */
  readonly values?: readonly string[];
}

export interface ObjectNode {
  readonly kind: "object";
  /** The name of the definition in OpenAPI; objects without one are written inline. */
  readonly name?: string;
  readonly description?: string;
  readonly fields: ReadonlyMap<string, FieldNode>;
  /** Owned and replaced as a whole by server-side apply. */
  readonly atomic?: boolean;
  /** Fields that are not listed are kept, as `x-kubernetes-preserve-unknown-fields` asks. */
  readonly preserveUnknown?: boolean;
}

interface MapNode {
  readonly kind: "map";
  readonly values: SchemaNode;
  readonly atomic?: boolean;
}

export interface ListNode {
  readonly kind: "list";
  readonly items: SchemaNode;
  readonly listType: "atomic" | "set" | "map";
  /** The fields that tell the items of a `map` list apart. */
  readonly keys: readonly string[];
  /** Whether the table names the list type, or it follows from the patch strategy. */
  readonly declared?: boolean;
}

/** JSON of any shape. */
interface AnyNode {
  readonly kind: "any";
  /** Owned and replaced as a whole; otherwise objects within are merged field by field. */
  readonly atomic?: boolean;
}

export interface FieldNode {
  readonly node: SchemaNode;
  readonly description?: string;
  readonly required?: boolean;
  /** Written out even when empty, because the server's own type has no way to leave it out. */
  readonly always?: boolean;
  /** An explicit zero, false or empty string differs from a missing one. */
  readonly pointer?: boolean;
  readonly default?: unknown;
  readonly patch?: PatchRule;
}

/** How a strategic merge patch treats a field. */
export interface PatchRule {
  readonly merge?: boolean;
  readonly replace?: boolean;
  readonly retainKeys?: boolean;
  readonly mergeKey?: string;
}
