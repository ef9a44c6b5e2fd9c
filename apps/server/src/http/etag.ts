import { entityTagsRule } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** The tags of `If-Match` or `If-None-Match`, or `*` for any. */
export type EntityTags = "*" | readonly EntityTag[];

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
export function hasStrongly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version, isWeak }) => !isWeak && version === resourceVersion);
}

export function hasWeakly(tags: EntityTags, resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined) return false;
  return tags === "*" || tags.some(({ version }) => version === resourceVersion);
}
