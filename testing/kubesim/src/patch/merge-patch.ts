import { isRecord } from "@bowline/core";

import { invalid } from "../store/status-errors.ts";
import { field, type JsonObject } from "../schema/json-value.ts";

/** JSON merge patch (RFC 7396). The target is never changed; untouched parts are shared with the result. */
export function applyMergePatch(target: JsonObject, patch: unknown): JsonObject {
  if (!isRecord(patch)) {
    const shown = JSON.stringify(JSON.stringify(patch));
    throw invalid({ group: "", kind: "" }, "", [
      {
        field: "patch",
        reason: "FieldValueInvalid",
        message: `Invalid value: ${shown}: a merge patch must be an object`,
      },
    ]);
  }
  return mergeObjects(target, patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(field(target, key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  return mergeObjects(isRecord(target) ? target : {}, patch);
}
