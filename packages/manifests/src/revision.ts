import { BowlineError, canonicalJson, contentId, isRecord } from "@bowline/core";

import type { JsonValue } from "./json.ts";
import { readObject, type ManifestObject } from "./manifest-object.ts";
import { readParameter, type DeclaredParameter } from "./parameters.ts";

/** Everything that a definition says about what is deployed, before any value is filled in. */
export interface RevisionContent {
  /** In their order. */
  readonly objects: readonly ManifestObject[];
  readonly parameters: readonly DeclaredParameter[];
}

/** A content at one moment. It never changes: another content is another revision. */
export interface Revision {
  /** `sha256:` and the hash of the content in hex. */
  readonly id: string;
  /** As canonical JSON. Comments, formatting, descriptions and the order of keys and parameters are not in it. */
  readonly content: string;
}

export function revisionOf({ objects, parameters }: RevisionContent): Revision {
  return revisionOfJson(canonicalJson(objects), parameters);
}

/** The same of objects that are canonical JSON already, which need not be read for it. */
export function revisionOfJson(objects: string, parameters: readonly DeclaredParameter[]): Revision {
  const declared = parameters.map(readParameter).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const content = `{"objects":${objects},"parameters":${canonicalJson(declared)}}`;
  return { id: contentId(content), content };
}

/** The content of a revision as it was stored. Throws `Internal` for one that is not what its id says. */
export function readRevision({ id, content }: Revision): RevisionContent {
  const damaged = (): BowlineError =>
    new BowlineError("Internal", `The stored content of revision ${id} is damaged.`);
  if (contentId(content) !== id) throw damaged();
  const stored: JsonValue = JSON.parse(content);
  if (!isRecord(stored) || !Array.isArray(stored["objects"]) || !Array.isArray(stored["parameters"])) {
    throw damaged();
  }
  const objects = stored["objects"].map((value: JsonValue) => {
    const read = readObject(value);
    if (read.ok) return read.object;
    throw damaged();
  });
  return { objects, parameters: stored["parameters"].map(readParameter) };
}
