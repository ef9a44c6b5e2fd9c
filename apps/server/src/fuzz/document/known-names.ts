import { dnsLabel, type JsonSchema } from "@bowline/api";
import { arbitraryFor } from "@bowline/api/testing";
import * as fc from "fast-check";

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
