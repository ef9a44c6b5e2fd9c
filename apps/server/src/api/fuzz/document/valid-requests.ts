import { dnsLabel, kinds, printFieldSelector, printLabelSelector, type JsonSchema, type Kind } from "@bowline/api";
import { arbitraryFor } from "@bowline/api/testing";
import * as fc from "fast-check";

import type { Header, WireRequest } from "../wire-request.ts";
import type { Operation, Parameter } from "./operations.ts";

/** Names that are used again and again, so that requests meet objects that earlier ones have made. */
const names = ["sample", "a", "b", "web", "auditor", "prod-eu-1"];

/** Requests that follow the document, by whoever sends them. */
export function validRequests(operation: Operation): fc.Arbitrary<WireRequest> {
  return fc
    .record({ path: pathFor(operation), query: queryFor(operation), headers: headersFor(operation) })
    .chain(({ path, query, headers }) =>
      bodyFor(operation, path).map(({ header, body }): WireRequest => ({
        method: operation.method,
        path,
        query,
        headers: [...headers, ...header],
        body,
      })),
    );
}

function pathFor({ path, parameters }: Operation): fc.Arbitrary<string> {
  const name = parameters.find((parameter) => parameter.in === "path");
  if (name === undefined) return fc.constant(path);
  return oftenKnown(name.schema).map((value) => path.replace(`{${name.name}}`, encodeURIComponent(String(value))));
}

function queryFor(operation: Operation): fc.Arbitrary<Header[]> {
  const known = operation.parameters.filter((parameter) => parameter.in === "query");
  return pick(operation, known).map((pairs) =>
    pairs.map(([name, value]): Header => [name, encodeURIComponent(value)]),
  );
}

function headersFor(operation: Operation): fc.Arbitrary<Header[]> {
  const known = operation.parameters.filter((parameter) => parameter.in === "header");
  // A header has no characters beyond Latin-1, and spaces at its ends do not count.
  return pick(operation, known).map((pairs) =>
    pairs.filter(([, value]) => /^[!-~]([ -~]*[!-~])?$/u.test(value)),
  );
}

/** Each parameter is there or not. */
function pick(operation: Operation, parameters: readonly Parameter[]): fc.Arbitrary<Header[]> {
  const each = parameters.map((parameter) =>
    fc.option(
      valueFor(operation, parameter).map((value): Header => [parameter.name, value]),
      { nil: undefined, freq: 3 },
    ),
  );
  return fc
    .tuple(...each)
    .map((pairs) => compatible(pairs.filter((pair) => pair !== undefined)));
}

/** A page is no stream: their parameters exclude each other, which the descriptions say and no schema can. */
function compatible(pairs: readonly Header[]): Header[] {
  const isWatch = pairs.some(([name, value]) => name === "watch" && value === "true");
  const excluded = isWatch ? ["limit", "cursor"] : ["resourceVersion"];
  return pairs.filter(([name]) => !excluded.includes(name));
}

function valueFor(operation: Operation, { name, schema }: Parameter): fc.Arbitrary<string> {
  if (name === "labelSelector") return labelSelectors;
  if (name === "fieldSelector") return fieldSelectorsOf(kindOf(operation));
  // Only what the server gave out is one; mutations send others.
  if (name === "cursor") return fc.constant("");
  if (name === "If-Match" || name === "If-None-Match") return fc.oneof(entityTags, text(schema));
  return text(schema);
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  return arbitraryFor(schema).map(String);
}

const entityTags = fc.oneof(
  fc.constant("*"),
  fc.integer({ min: 1, max: 300 }).map((version) => `"${version}"`),
);

const labelSelectors = fc
  .array(
    fc.oneof(
      fc.record({ key: fc.constantFrom("app", "a.b/c"), operator: fc.constantFrom("exists", "absent") }),
      fc.record({
        key: fc.constantFrom("app", "tier"),
        operator: fc.constantFrom("in", "notIn"),
        values: fc.uniqueArray(fc.constantFrom("web", "db", "A_1.b", ""), { minLength: 1 }),
      }),
    ),
    { maxLength: 3 },
  )
  .map(printLabelSelector);

function fieldSelectorsOf(kind: Kind): fc.Arbitrary<string> {
  const requirement = fc.constantFrom(...kind.filterable).chain((field) => {
    const { type, choices } = field;
    const values =
      choices === undefined
        ? { boolean: fc.constantFrom("true", "false"), integer: fc.nat().map(String), string: fc.string() }[type]
        : fc.constantFrom(...choices);
    return fc.record({ field: fc.constant(field), operator: fc.constantFrom("=", "!="), value: values });
  });
  return fc.array(requirement, { maxLength: 2 }).map(printFieldSelector);
}

function kindOf({ path }: Operation): Kind {
  const kind = kinds.find(({ plural }) => path.startsWith(`/api/v1/${plural}`));
  if (kind === undefined) throw new Error(`${path} belongs to no kind.`);
  return kind;
}

interface Body {
  readonly header: readonly Header[];
  readonly body: Buffer | undefined;
}

function bodyFor(operation: Operation, path: string): fc.Arbitrary<Body> {
  const { bodies, method } = operation;
  if (bodies.size === 0) return fc.constant({ header: [], body: undefined });
  return fc.constantFrom(...bodies).chain(([mediaType, schema]) =>
    fc
      .tuple(method === "PATCH" ? patches(operation) : oftenKnown(schema), fc.nat(9))
      .map(([value, chance]): Body => ({
        header: [["Content-Type", mediaType]],
        body: Buffer.from(JSON.stringify(adapted(value, { method, path, isConditional: chance === 0 }))),
      })),
  );
}

/** Of all objects, only those that could be a part of the kind's objects say much. */
function patches(operation: Operation): fc.Arbitrary<unknown> {
  const { write } = kindOf(operation).schemas;
  const parts = fc.record(
    Object.fromEntries(Object.entries(write.properties ?? {}).map(([name, part]) => [name, arbitraryFor(part)])),
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.oneof(parts, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }));
}

/** Follows the rules that hold between a body and its address, which are in no schema. */
function adapted(
  value: unknown,
  { method, path, isConditional }: { readonly method: string; readonly path: string; readonly isConditional: boolean },
): unknown {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return value;
  const { name, resourceVersion, ...metadata } = Object(value.metadata);
  const ownName = method === "POST" ? name : decodeURIComponent(path.split("/")[4] ?? "");
  return {
    ...value,
    metadata: {
      ...metadata,
      ...(ownName === undefined || method === "PATCH" ? {} : { name: ownName }),
      ...(isConditional && resourceVersion !== undefined ? { resourceVersion } : {}),
    },
  };
}

/** Values of a schema, and often such in which every name of an object is one of few. */
function oftenKnown(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: arbitraryFor(schema), weight: 1 }, { arbitrary: arbitraryFor(withKnownNames(schema)), weight: 2 });
}

function withKnownNames(schema: JsonSchema): JsonSchema {
  if (schema.pattern === dnsLabel.pattern && schema.maxLength === dnsLabel.maxLength) return { enum: names };
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withKnownNames(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, withKnownNames(property)]),
          ),
        }),
  };
}
