import { contentId } from "@bowline/core";

const maxNameStart = 50;
const hashCharacters = 10;

/** The name of the one object that the server makes for something: always the same one, and another for anything else. */
export function derivedName(start: string, identity: string): string {
  const [, digest = ""] = contentId(identity).split(":");
  // 50 bits, which are ten characters of base 32 and still a whole number.
  const hash = Math.floor(Number.parseInt(digest.slice(0, 13), 16) / 4).toString(32);
  return `${start.slice(0, maxNameStart)}-${hash.padStart(hashCharacters, "0")}`;
}
