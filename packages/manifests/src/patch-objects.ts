import { mergePatch } from "@bowline/core";

import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { objectKey, objectKeyText, objectLabel, readObject, type ManifestObject } from "./manifest-object.ts";
import type { RefusedManifest } from "./fill-parameters.ts";

/** A change to rendered objects, by merge (RFC 7396) or by operations (RFC 6902). */
export interface ObjectPatch {
  readonly target: {
    /** Any group when it is left out. */
    readonly group?: string | undefined;
    readonly kind: string;
    /** All objects of the kind when it is left out. */
    readonly name?: string | undefined;
  };
  /** One of both. */
  readonly patch: {
    readonly merge?: Readonly<Record<string, unknown>> | undefined;
    readonly json?: readonly JsonPatchOperation[] | undefined;
  };
}

export interface PatchedManifests {
  readonly objects: readonly ManifestObject[];
  readonly refused: readonly RefusedManifest[];
}

/**
 * Changes objects as patches say, in their order. An object that a patch cannot be applied to, or that would become
 * another object, is refused; the others go on.
 */
export function patchObjects(
  objects: readonly ManifestObject[],
  patches: readonly ObjectPatch[],
): PatchedManifests {
  if (patches.length === 0) return { objects, refused: [] };
  const patched: ManifestObject[] = [];
  const refused: RefusedManifest[] = [];
  for (const object of objects) {
    const result = patchOne(
      object,
      patches.filter((patch) => isMeant(patch, object)),
    );
    if ("problem" in result) {
      refused.push({ object, problems: [{ object: objectLabel(object), message: result.problem }] });
    } else patched.push(result.object);
  }
  return { objects: patched, refused };
}

function isMeant({ target: { group, kind, name } }: ObjectPatch, object: ManifestObject): boolean {
  const key = objectKey(object);
  return kind === key.kind && (group ?? key.group) === key.group && (name ?? key.name) === key.name;
}

type Patched = { readonly object: ManifestObject } | { readonly problem: string };

function patchOne(object: ManifestObject, patches: readonly ObjectPatch[]): Patched {
  if (patches.length === 0) return { object };
  let value: JsonValue = object;
  for (const {
    patch: { json, merge },
  } of patches) {
    try {
      value = json === undefined ? merged(value, merge) : applyJsonPatch(value, json);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { problem: `a patch of its overrides does not fit: ${error.message}` };
    }
  }
  const read = readObject(value, { isFilled: true });
  if (!read.ok) return { problem: `after the patches of its overrides, ${read.problems.join("; ")}` };
  if (objectKeyText(read.object) !== objectKeyText(object)) {
    return { problem: "a patch of its overrides would make another object of it" };
  }
  return { object: read.object };
}

function merged(value: JsonValue, patch: ObjectPatch["patch"]["merge"] = {}): JsonObject {
  // Both come from JSON, and nothing else is added.
  const result = mergePatch(value, patch) as JsonValue;
  return isJsonObject(result) ? result : {};
}
