import { asRecord } from "@bowline/core";
import * as fc from "fast-check";

import type { Kind } from "../kind/kind.ts";
import { clusterProviders } from "../kinds/cluster-providers.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** Values that follow a schema, small ones and such at its limits. Rules that are not in the schema may still be broken. */
export function arbitraryFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return textFor(schema);
    case "integer":
      return fc.integer({
        min: schema.minimum ?? -1000,
        max: Math.min(schema.maximum ?? 1000, 0x7fff_ffff),
      });
    case "number":
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return listFor(schema);
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapFor(schema, schema.additionalProperties)
        : objectFor(schema);
    case "null":
      return fc.constant(null);
    case undefined:
    default:
      return fc.jsonValue({ maxDepth: 2 }).filter(hasPlainKeys);
  }
}

/** Keys that are refused wherever anything may stand. */
const refusedKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function hasPlainKeys(value: unknown): boolean {
  let isPlain = true;
  JSON.stringify(value, (key, each: unknown) => {
    isPlain &&= !refusedKeys.has(key);
    return each;
  });
  return isPlain;
}

/** Bodies of creates of a kind that follow its schema; rules that hardly any of them would follow are seen to. */
export function arbitraryBody(kind: Kind): fc.Arbitrary<Record<string, unknown>> {
  const bodies = objectFor(kind.schemas.write).map(withManifest);
  if (kind.kind === "Cluster") return bodies.map(withOneProvider);
  return kind.kind === "DomainName" ? bodies.map(withRecords) : bodies;
}

/** The body of a DomainName with what its provider and its policy need, and nothing of the others. */
function withRecords(body: Record<string, unknown>): Record<string, unknown> {
  const { provider, policy = "single", ...others } = asRecord(body["spec"]);
  const spec: Record<string, unknown> = { ...others, zone: others["domain"], provider, policy };
  const isPlain = provider === "rfc2136";
  delete spec[isPlain ? "route53" : "rfc2136"];
  if (isPlain) spec["rfc2136"] ??= { server: "192.0.2.53" };
  else spec["credential"] ??= "aws";
  if (isPlain && policy !== "single") spec["policy"] = "all";
  if (spec["policy"] !== "weighted") delete spec["weights"];
  if (spec["policy"] !== "latency") delete spec["regions"];
  return { ...body, spec: { ...spec, ttl: "1m", failover: { after: "1m30s", returnAfter: "1h" } } };
}

/** The body of a Cluster without the settings of providers that it has not chosen. */
function withOneProvider(body: Record<string, unknown>): Record<string, unknown> {
  const { provider = "existing", ...spec } = asRecord(body["spec"]);
  const kept = Object.entries(spec).filter(
    ([name]) => name === provider || !clusterProviders.some((each) => each === name),
  );
  return { ...body, spec: { ...Object.fromEntries(kept), provider } };
}

/** The body with a manifest that has the text in it, in the place of a text that would be none. */
function withManifest(body: Record<string, unknown>): Record<string, unknown> {
  const spec = asRecord(body["spec"]);
  const { manifests: text } = asRecord(asRecord(spec["source"])["inline"]);
  if (typeof text !== "string") return body;
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { text } };
  const manifests = JSON.stringify(manifest, null, 2);
  return { ...body, spec: { ...spec, source: { inline: { manifests } } } };
}

function textFor(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 100, pattern, format } = schema;
  if (format === "date-time") {
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const fits = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength && text.isWellFormed() && !text.includes("\0");
  };
  if (pattern === undefined) {
    return withLongest(
      fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, 50) }).filter(fits),
      maxLength,
      fits,
    );
  }
  const expression = new RegExp(pattern, "u");
  const isOne = (text: string): boolean => expression.test(text) && fits(text);
  // The generator does not know Unicode classes; what they exclude is rare enough to be filtered out.
  const known = new RegExp(pattern.replaceAll("\\p{Cc}", "\\x00-\\x1f\\x7f-\\x9f"), "u");
  return withLongest(fc.stringMatching(known).filter(isOne), maxLength, isOne);
}

/** Longer texts are not worth their time. */
const longestMade = 4_096;

/** Now and then as long as it may be, where repeating its last character makes it so. */
function withLongest(
  texts: fc.Arbitrary<string>,
  maxLength: number,
  isOne: (text: string) => boolean,
): fc.Arbitrary<string> {
  if (maxLength > longestMade) return texts;
  const longest = texts.map((text) => {
    const characters = Array.from(text);
    const padded = text + (characters.at(-1) ?? "a").repeat(Math.max(0, maxLength - characters.length));
    return isOne(padded) ? padded : text;
  });
  return fc.oneof({ arbitrary: texts, weight: 9 }, { arbitrary: longest, weight: 1 });
}

function listFor(schema: JsonSchema): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = 4 } = schema;
  const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) };
  const [key] = schema["x-kubernetes-list-map-keys"] ?? [];
  if (key === undefined && schema.uniqueItems !== true) return fc.array(arbitraryFor(items), lengths);
  return fc.uniqueArray(arbitraryFor(items), {
    ...lengths,
    selector: (item) => (key === undefined ? item : new Map(Object.entries(item ?? {})).get(key)),
  });
}

function mapFor(schema: JsonSchema, values: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const keys = textFor(schema.propertyNames ?? {}).filter((key) => !refusedKeys.has(key));
  return fc.dictionary(keys, arbitraryFor(values), {
    minKeys: schema.minProperties ?? 0,
    maxKeys: Math.min(schema.maxProperties ?? 4, 4),
    noNullPrototype: true,
  });
}

function objectFor(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, arbitraryFor(property)]),
  );
  const names = Object.keys(model);
  if (schema.maxProperties === 1) {
    return fc.constantFrom(...names).chain((name) => fc.record({ [name]: model[name] ?? fc.constant(null) }));
  }
  return fc.record(model, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}
