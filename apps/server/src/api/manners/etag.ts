import { BowlineError } from "@bowline/core";

/** The tags of `If-Match` or `If-None-Match`, or `*` for any. */
export type EntityTags = "*" | readonly EntityTag[];

interface EntityTag {
  readonly version: string;
  readonly isWeak: boolean;
}

/** More than any client has seen of one object, and less than what is slow to look through. */
const maxHeaderLength = 1_024;
const tagPattern = /^\s*(?<weak>W\/)?"(?<version>[!#-~]*)"\s*$/u;

export function etagOf(resourceVersion: string): string {
  return `"${resourceVersion}"`;
}

/** `InvalidArgument` for what is no list of tags: to ignore a condition would be to write without it. */
export function parseEntityTags(name: string, header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === "*") return "*";
  const parts = header.length > maxHeaderLength ? [] : header.split(",");
  const tags = parts.map((part) => tagPattern.exec(part)?.groups);
  if (tags.length === 0 || tags.includes(undefined)) {
    throw new BowlineError("InvalidArgument", `${name} is * or an ETag in quotes, such as "42".`);
  }
  return tags.map((groups) => ({
    version: groups?.["version"] ?? "",
    isWeak: groups?.["weak"] !== undefined,
  }));
}

/** Strictly, as writes need it: a weak tag is no proof of having seen the object. */
export function hasStrongly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version, isWeak }) => !isWeak && version === resourceVersion);
}

export function hasWeakly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version }) => version === resourceVersion);
}
