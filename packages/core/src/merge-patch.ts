import { isRecord } from "./unknown-values.ts";

/**
 * Applies a JSON merge patch as RFC 7396 defines it: fields that are there are set, fields that are null are taken out,
 * anything that is no object replaces what was there. Changes neither argument. It goes as deep as the patch does, so
 * a patch from outside has to pass `checkDepth` first.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map<string, unknown>(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  // Unlike an assignment, this takes `__proto__` for a key like any other; validation then refuses it.
  return Object.fromEntries(merged);
}
