import type { IncomingHttpHeaders } from "node:http";

import { entityTagsRule, type Kind, type Metadata } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** Conditions on the object as it is, without which a write does not happen. */
export interface Preconditions {
  readonly ifMatch?: EntityTags | undefined;
  readonly ifNoneMatch?: EntityTags | undefined;
  /** Of the body. */
  readonly resourceVersion?: string | undefined;
}

export function preconditionsOf(headers: IncomingHttpHeaders, resourceVersion?: string): Preconditions {
  return {
    ifMatch: parseEntityTags("If-Match", headers["if-match"]),
    ifNoneMatch: parseEntityTags("If-None-Match", headers["if-none-match"]),
    resourceVersion,
  };
}

/** `PreconditionFailed` for the headers, `Conflict` for the body. Called in the transaction of the write. */
export function requirePreconditions(
  kind: Kind,
  name: string,
  current: { readonly metadata: Metadata } | undefined,
  { ifMatch, ifNoneMatch, resourceVersion }: Preconditions,
): void {
  const found = current?.metadata.resourceVersion;
  const subject = `${kind.kind} "${name}"`;
  const now = found === undefined ? "there is none" : `it is at version ${found} now`;
  if (ifMatch !== undefined && !hasStrongly(ifMatch, found)) {
    throw new BowlineError(
      "PreconditionFailed",
      `${subject} is not what If-Match asks for: ${now}; read it again and repeat the change.`,
    );
  }
  if (ifNoneMatch !== undefined && hasWeakly(ifNoneMatch, found)) {
    throw new BowlineError("PreconditionFailed", `${subject} is what If-None-Match excludes: ${now}.`);
  }
  if (resourceVersion !== undefined && resourceVersion !== found) {
    throw new BowlineError(
      "Conflict",
      `${subject} was to be written at version ${resourceVersion}, but ${now}; read it again and repeat the change.`,
    );
  }
}

/** The tags of `If-Match` or `If-None-Match`, or `*` for any. */
type EntityTags = "*" | readonly EntityTag[];

interface EntityTag {
  readonly version: string;
  readonly isWeak: boolean;
}

const headerPattern = new RegExp(entityTagsRule.pattern, "u");
/** Within a header that follows its pattern; a comma may be part of a tag. */
const tagPattern = /(?<weak>W\/)?"(?<version>[^"]*)"/gu;

export function etagOf(resourceVersion: string): string {
  return `"${resourceVersion}"`;
}

/** `InvalidArgument` for what is no list of tags: to ignore a condition would be to write without it. */
export function parseEntityTags(name: string, header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  if (header.length > entityTagsRule.maxLength || !headerPattern.test(header)) {
    throw new BowlineError("InvalidArgument", `${name} is * or an ETag in quotes, such as "42".`);
  }
  if (header === "*") return "*";
  return [...header.matchAll(tagPattern)].map(({ groups }) => ({
    version: groups?.["version"] ?? "",
    isWeak: groups?.["weak"] !== undefined,
  }));
}

/** Strictly, as writes need it: a weak tag is no proof of having seen the object. */
function hasStrongly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version, isWeak }) => !isWeak && version === resourceVersion);
}

export function hasWeakly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version }) => version === resourceVersion);
}
