import { kinds, dnsLabel, type Kind, type JsonSchema } from "@bowline/api";
import { arbitraryFor } from "@bowline/api/testing";
import { asRecord } from "@bowline/core";
import * as fc from "fast-check";

import type { Operation } from "./operations.ts";

/** A body, before it is text. */
export interface Content {
  readonly mediaType: string;
  readonly value: unknown;
  /** Whether a resourceVersion may stay in it: most of them would be wrong. */
  readonly isConditional: boolean;
}

export function bodyFor(operation: Operation): fc.Arbitrary<Content | undefined> {
  const { bodies, method } = operation;
  if (bodies.size === 0) return fc.constant(undefined);
  const contents = [...bodies].map(([mediaType, schema]) =>
    fc.record({
      mediaType: fc.constant(mediaType),
      value: method === "PATCH" ? patches(operation) : oftenKnown(schema),
      isConditional: fc.nat(9).map((chance) => chance === 0),
    }),
  );
  return fc.oneof(...contents);
}

/** Of all objects, only those that could be a part of the kind's objects say much. */
function patches(operation: Operation): fc.Arbitrary<unknown> {
  const { write } = kindOf(operation).schemas;
  const parts = fc.record(
    Object.fromEntries(
      Object.entries(write.properties ?? {}).map(([name, part]) => [name, arbitraryFor(part)]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.oneof(
    parts,
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
  );
}

/** Follows the rules that hold between a body and its address, which are in no schema. */
export function adapted(
  value: unknown,
  {
    method,
    path,
    isConditional,
  }: { readonly method: string; readonly path: string; readonly isConditional: boolean },
): unknown {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return value;
  const { name, resourceVersion, ...metadata } = asRecord(value.metadata);
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

/** The kind that an operation is about. */
export function kindOf({ path }: Operation): Kind {
  const kind = kinds.find(({ plural }) => path.startsWith(`/api/v1/${plural}`));
  if (kind === undefined) throw new Error(`${path} belongs to no kind.`);
  return kind;
}

/** Names that are used again and again, so that requests meet objects that earlier ones have made. */
const names = ["sample", "a", "b", "web", "auditor", "prod-eu-1"];

/** Values of a schema, and often such in which every name of an object is one of few. */
export function oftenKnown(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: arbitraryFor(schema), weight: 1 },
    { arbitrary: arbitraryFor(withKnownNames(schema)), weight: 2 },
  );
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
