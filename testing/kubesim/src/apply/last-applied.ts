import { isRecord } from "@bowline/core";

import { valueAt, type JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, union } from "./field-set.ts";
import { toFieldSet } from "./to-field-set.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The fields that client-side apply set and that still have the values it gave them. Server-side apply by kubectl may
 * take these over without a conflict, so that people can move from one to the other.
 */
export function fieldsOfLastApplied(
  live: JsonObject,
  apiVersion: string,
  schema: SchemaNode,
): FieldSet | undefined {
  const lastApplied = parse(valueAt(live, "metadata", "annotations", annotation));
  if (lastApplied?.["apiVersion"] !== apiVersion) return undefined;
  const { added, modified, removed } = compare(lastApplied, live, schema);
  return difference(toFieldSet(lastApplied, schema), union(union(added, modified), removed));
}

/** Keeps the annotation in step, if there is one, for people who later go back to client-side apply. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const metadata = object["metadata"];
  const annotations = valueAt(metadata, "annotations");
  if (!isRecord(metadata) || !isRecord(annotations) || !Object.hasOwn(annotations, annotation)) return object;
  const value = `${JSON.stringify(withoutAnnotation(applied))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [annotation]: value } } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = applied["metadata"];
  const annotations = valueAt(metadata, "annotations");
  if (!isRecord(metadata) || !isRecord(annotations)) return applied;
  const others = Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== annotation));
  return { ...applied, metadata: { ...metadata, annotations: others } };
}

function parse(source: unknown): JsonObject | undefined {
  if (typeof source !== "string" || source === "") return undefined;
  try {
    const value: unknown = JSON.parse(source);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
