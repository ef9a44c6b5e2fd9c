import { BowlineError, canonicalJson, contentId } from "@bowline/core";

import type { JsonValue } from "./json.ts";
import { readObject, type ManifestObject } from "./manifest-object.ts";

/** Objects at one moment, before any value is filled in. It never changes: other objects are another revision. */
export interface Revision {
  /** `sha256:` and the hash of the content in hex. */
  readonly id: string;
  /** The objects in their order, as canonical JSON. Comments, formatting and the order of keys are not in it. */
  readonly content: string;
}

export function revisionOf(objects: readonly ManifestObject[]): Revision {
  const content = canonicalJson(objects);
  return { id: contentId(content), content };
}

/** The objects of a revision as it was stored. Throws `Internal` for one whose content is not what its id says. */
export function objectsOf({ id, content }: Revision): readonly ManifestObject[] {
  const damaged = (): BowlineError =>
    new BowlineError("Internal", `The stored content of revision ${id} is damaged.`);
  if (contentId(content) !== id) throw damaged();
  const values: readonly JsonValue[] = JSON.parse(content);
  return values.map((value) => {
    const read = readObject(value);
    if (read.ok) return read.object;
    throw damaged();
  });
}
