import { isRecord } from "@bowline/core";

import type { JsonRecord } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";

/** The record with missing fields filled in; the very same record where none is missing, so that parts stay shared. */
export function withDefaults(record: JsonRecord, defaults: JsonRecord): JsonRecord {
  for (const key in defaults) {
    if (record[key] === undefined) return { ...defaults, ...dropUndefined(record) };
  }
  return record;
}

function dropUndefined(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Applies a change to the spec of an object; an object without spec gets an empty one first. */
export function mapSpec(object: SimObject, change: (spec: JsonRecord) => JsonRecord): SimObject {
  const spec = isRecord(object["spec"]) ? object["spec"] : {};
  const changed = change(spec);
  return changed === object["spec"] ? object : { ...object, spec: changed };
}
