import type { FieldProblem } from "../store/status-errors.ts";
import { compilePattern } from "./bounded-pattern.ts";
import { validateValue } from "./crd-validate.ts";
import { forbidden, invalid, required, unsupported } from "./field-problem.ts";
import { type JsonSchema, readJsonSchema } from "./json-schema.ts";

type Problems = Generator<FieldProblem>;

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Where a schema stands decides what it must say. */
type Place = "root" | "field" | "item";

const missingType: Readonly<Record<Place, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
};

/** What keeps a schema from being structural: pruning, defaulting and apply all rest on knowing every field's type. */
export function structuralProblems(openApiV3Schema: unknown, path: string): FieldProblem[] {
  const schema = readJsonSchema(openApiV3Schema);
  return [...problemsOf(schema, path, "root"), ...problemsOfMetadata(schema, path)];
}

function* problemsOf(schema: JsonSchema, path: string, place: Place): Problems {
  if (schema.source["$ref"] !== undefined) {
    yield forbidden(`${path}.$ref`, "$ref is not supported");
    return;
  }
  for (const [name, child] of schema.properties)
    yield* problemsOf(child, `${path}.properties[${name}]`, "field");
  if (typeof schema.additional === "object") {
    yield* problemsOf(schema.additional, `${path}.additionalProperties`, "field");
  }
  if (schema.items !== undefined) yield* problemsOf(schema.items, `${path}.items`, "item");
  yield* problemsOfType(schema, path, place);
  yield* problemsOfLists(schema, path);
  yield* problemsOfValues(schema, path);
  for (const [name, option, at] of combinations(schema))
    yield* problemsOfOption(option, `${path}.${name}${at}`);
}

function* problemsOfType(schema: JsonSchema, path: string, place: Place): Problems {
  const { type, intOrString, preserveUnknown } = schema;
  if (type === undefined) {
    if (place === "root" || !(intOrString || preserveUnknown))
      yield required(`${path}.type`, missingType[place]);
  } else if (!types.includes(type)) {
    yield unsupported(`${path}.type`, type, types);
  } else if (place === "root" && type !== "object") {
    yield invalid(`${path}.type`, type, "must be object at the root");
  }
  if (schema.properties.size > 0 && typeof schema.additional === "object") {
    yield forbidden(
      `${path}.additionalProperties`,
      "additionalProperties and properties are mutual exclusive",
    );
  }
}

function* problemsOfLists(schema: JsonSchema, path: string): Problems {
  const { type, items, listType, listMapKeys } = schema;
  if (type === "array" && items === undefined) yield required(`${path}.items`, "must be specified");
  if (schema.source["uniqueItems"] === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    yield forbidden(`${path}.uniqueItems`, why);
  }
  if (listType === undefined) return;
  if (!["atomic", "set", "map"].includes(listType)) {
    yield unsupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]);
  }
  if (listType === "map" && listMapKeys.length === 0) {
    const why = "must not be empty if x-kubernetes-list-type is map";
    yield required(`${path}.x-kubernetes-list-map-keys`, why);
  }
  if (listType === "set" && items?.type === "object" && items.mapType !== "atomic") {
    const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
    yield invalid(`${path}.items.x-kubernetes-map-type`, items.mapType, why);
  }
}

function* problemsOfValues(schema: JsonSchema, path: string): Problems {
  if (schema.pattern !== undefined && compilePattern(schema.pattern) === undefined) {
    yield invalid(`${path}.pattern`, schema.pattern, "must be a valid regular expression, but isn't");
  }
  if (schema.default === undefined) return;
  for (const problem of validateValue(schema.default, schema, ""))
    yield { ...problem, field: `${path}.default` };
}

/** The options of `anyOf` and the like may test values, but not introduce fields or types. */
function* problemsOfOption(schema: JsonSchema, path: string): Problems {
  const must = "must be empty to be structural";
  if (schema.type !== undefined && !schema.intOrString) yield forbidden(`${path}.type`, must);
  if (schema.default !== undefined) yield forbidden(`${path}.default`, "must be undefined to be structural");
  if (typeof schema.additional === "object") {
    yield forbidden(`${path}.additionalProperties`, "must be undefined to be structural");
  }
  if (schema.preserveUnknown) {
    yield forbidden(`${path}.x-kubernetes-preserve-unknown-fields`, "must be false to be structural");
  }
  for (const [name, child] of schema.properties)
    yield* problemsOfOption(child, `${path}.properties[${name}]`);
  if (schema.items !== undefined) yield* problemsOfOption(schema.items, `${path}.items`);
  for (const [name, option, at] of combinations(schema))
    yield* problemsOfOption(option, `${path}.${name}${at}`);
}

function* combinations(schema: JsonSchema): Generator<[name: string, schema: JsonSchema, at: string]> {
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, option] of schema[name].entries()) yield [name, option, `[${index}]`];
  }
  if (schema.not !== undefined) yield ["not", schema.not, ""];
}

function* problemsOfMetadata(schema: JsonSchema, path: string): Problems {
  const metadata = schema.properties.get("metadata");
  const names = [...(metadata?.properties.keys() ?? [])];
  if (names.every((name) => name === "name" || name === "generateName")) return;
  yield forbidden(
    `${path}.properties[metadata]`,
    "must not specify anything other than name and generateName, but metadata is implicitly specified",
  );
}
