import { checkName, isWithin, refused } from "./host-name.ts";

const longestOwner = 1_000;
const ours = /^heritage=bowline,owner=(.+)$/u;
const ofExternalDns = /^"?heritage=external-dns,(?:.*,)?external-dns\/owner=([^,"]*)/u;

/** The mark has a name of its own, since nothing may stand beside a CNAME. */
export function markName(host: string): string {
  return checkName(
    "The mark of the host",
    host.startsWith("*.") ? `_bowline-wildcard.${host.slice(2)}` : `_bowline.${host}`,
  );
}

export function markText(owner: string): string {
  if (!/^[\w.:/@-]+$/u.test(owner) || owner.length > longestOwner) {
    throw refused(`"${owner}" cannot be an owner of records: letters, digits and . : / @ _ - are allowed.`);
  }
  return `heritage=bowline,owner=${owner}`;
}

/** A text of TXT in the pieces that it can have, which count as one. */
export function textPieces(text: string): string[] {
  return text.match(/[^]{1,255}/gu) ?? [];
}

/**
 * Whose the name of a mark is by the texts at it; undefined where there are none. Whatever else stands there is
 * somebody's, too.
 */
export function ownersIn(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.map((text) => ownerOf(text) ?? `"${text}"`).join(" and ");
}

/** Whose mark a text is; undefined for any other text. */
export function ownerOf(text: string): string | undefined {
  const theirs = ofExternalDns.exec(text)?.[1];
  return theirs === undefined ? ours.exec(text)?.[1] : `external-dns/${theirs}`;
}

/**
 * Where external-dns has its marks, unless it was given a prefix or suffix: a name for each type, and in earlier
 * versions the host itself. At the apex of a zone they would be outside of it.
 */
export function externalMarkNames(host: string, zone: string): string[] {
  return ["a", "aaaa", "cname"]
    .map((type) => `${type}-${host}`)
    .filter((name) => isWithin(name, zone) && name.split(".").every((part) => part.length <= 63));
}
