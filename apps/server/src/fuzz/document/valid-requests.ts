import { printFieldSelector, printLabelSelector, type JsonSchema, type Kind } from "@bowline/api";
import { arbitraryFor } from "@bowline/api/testing";
import type { LabelRequirement } from "@bowline/core";
import * as fc from "fast-check";

import type { Header, WireRequest } from "../wire-request.ts";
import { oftenKnown, adapted, bodyFor, kindOf } from "./valid-bodies.ts";
import type { Operation, Parameter } from "./operations.ts";

/** Requests that follow the document, by whoever sends them. */
export function validRequests(operation: Operation): fc.Arbitrary<WireRequest> {
  return fc
    .tuple(pathFor(operation), queryFor(operation), headersFor(operation), bodyFor(operation))
    .map(([path, query, headers, content]): WireRequest => {
      const { method } = operation;
      if (content === undefined) return { method, path, query, headers };
      const value = adapted(content.value, { method, path, isConditional: content.isConditional });
      return {
        method,
        path,
        query,
        headers: [...headers, ["Content-Type", content.mediaType]],
        body: Buffer.from(JSON.stringify(value)),
      };
    });
}

function pathFor({ path, parameters }: Operation): fc.Arbitrary<string> {
  const name = parameters.find((parameter) => parameter.in === "path");
  if (name === undefined) return fc.constant(path);
  return oftenKnown(name.schema).map((value) =>
    path.replace(`{${name.name}}`, encodeURIComponent(String(value))),
  );
}

function queryFor(operation: Operation): fc.Arbitrary<Header[]> {
  // Of cursors, only what the server gave out is one; mutations send others.
  const known = operation.parameters.filter(({ name, in: place }) => place === "query" && name !== "cursor");
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

/** Each parameter is there or not, unless it must be. */
function pick(operation: Operation, parameters: readonly Parameter[]): fc.Arbitrary<Header[]> {
  const each = parameters.map((parameter) => {
    const pair = valueFor(operation, parameter).map((value): Header => [parameter.name, value]);
    return parameter.required === true ? pair : fc.option(pair, { nil: undefined, freq: 3 });
  });
  return fc.tuple(...each).map((pairs) => compatible(pairs.filter((pair) => pair !== undefined)));
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

const labelRequirements: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key: fc.constantFrom("app", "a.b/c"),
    operator: fc.constantFrom<"exists" | "absent">("exists", "absent"),
  }),
  fc.record({
    key: fc.constantFrom("app", "tier"),
    operator: fc.constantFrom<"in" | "notIn">("in", "notIn"),
    values: fc.uniqueArray(fc.constantFrom("web", "db", "A_1.b", ""), { minLength: 1 }),
  }),
);

/** Selectors of labels that some object may have. */
const labelSelectors = fc.array(labelRequirements, { maxLength: 3 }).map(printLabelSelector);

/** Selectors of the fields that a kind can be selected by. */
function fieldSelectorsOf(kind: Kind): fc.Arbitrary<string> {
  const requirement = fc.constantFrom(...kind.filterable).chain((field) => {
    const { type, choices } = field;
    const values =
      choices === undefined
        ? { boolean: fc.constantFrom("true", "false"), integer: fc.nat().map(String), string: fc.string() }[
            type
          ]
        : fc.constantFrom(...choices);
    return fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom<"=" | "!=">("=", "!="),
      value: values,
    });
  });
  return fc.array(requirement, { maxLength: 2 }).map(printFieldSelector);
}
