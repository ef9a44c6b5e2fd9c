import type { JsonSchema } from "./json-schema.ts";

/** One line of a table of fields. */
export interface FieldDescription {
  /** `placement.clusters[]`; `parameters.*` for the values of a map. */
  readonly path: string;
  /** `string`, `list of objects`, … */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** Fragments such as `at most 63 characters`. */
  readonly limits: readonly string[];
}

/** Every field of an object schema, parents before children, in the order of the schema. */
export function fieldsOf(schema: JsonSchema, at = ""): FieldDescription[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = at === "" ? name : `${at}.${name}`;
    const field: FieldDescription = {
      path,
      type: typeOf(property),
      description: property.description ?? "",
      required: required.has(name) && property.default === undefined,
      limits: limitsOf(property),
      ...(property.default === undefined ? {} : { default: property.default }),
    };
    return [field, ...fieldsOf(property, path), ...fieldsOf(property.items ?? {}, `${path}[]`)];
  });
}

function typeOf(schema: JsonSchema): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (schema.format === "date-time") return "time";
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}s`;
  if (typeof schema.additionalProperties === "object")
    return `map of ${typeOf(schema.additionalProperties)}s`;
  return schema.type ?? "any JSON";
}

function limitsOf(schema: JsonSchema): string[] {
  const own = [
    schema.enum === undefined ? undefined : `one of ${schema.enum.map((value) => `\`${value}\``).join(", ")}`,
    schema["x-bowline-expects"],
    range(schema.minimum, schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum, ""),
    schema.format === "date-time" ? undefined : range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    typeof schema.additionalProperties === "object"
      ? range(schema.minProperties, schema.maxProperties, "keys")
      : undefined,
    schema.maxProperties === 1 && schema.properties !== undefined ? "exactly one of its fields" : undefined,
    schema["x-kubernetes-list-type"] === "set" ? "no item twice" : undefined,
    schema["x-kubernetes-list-map-keys"]?.map((key) => `no ${key} twice`).join(),
    schema.writeOnly === true ? "never returned" : undefined,
  ].filter((limit) => limit !== undefined);
  const inner =
    schema.items ??
    (typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined);
  const ofItems = inner?.type === "string" ? limitsOf(inner) : [];
  return ofItems.length === 0
    ? own
    : [...own, `each ${schema.type === "array" ? "item" : "value"}: ${ofItems.join(", ")}`];
}

function range(minimum: number | undefined, maximum: number | undefined, unit: string): string | undefined {
  const ofUnit = unit === "" ? "" : ` ${unit}`;
  if (minimum !== undefined && minimum > 0 && maximum !== undefined)
    return `${minimum} to ${maximum}${ofUnit}`;
  if (maximum !== undefined) return `at most ${maximum}${ofUnit}`;
  return minimum !== undefined && minimum > 0 ? `at least ${minimum}${ofUnit}` : undefined;
}
