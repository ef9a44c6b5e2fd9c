import { BowlineError } from "@bowline/core";

const maxGlobs = 100;
const maxGlobLength = 256;

/**
 * Whether a path fits any of the globs: `*` and `?` within a part of it, `**` for any number of parts. Never by regular
 * expressions: the time is at most the product of both lengths, whatever somebody wrote.
 */
export function matchesAny(path: string, globs: readonly string[]): boolean {
  const parts = path.split("/");
  return globs.some((glob) => matchesParts(parts, glob.split("/")));
}

/** Throws `InvalidArgument`. */
export function checkGlobs(globs: readonly string[]): void {
  if (globs.length > maxGlobs) {
    throw new BowlineError("InvalidArgument", `These are ${globs.length} globs; at most ${maxGlobs} may be.`);
  }
  for (const glob of globs) {
    if (glob !== "" && glob.length <= maxGlobLength && !glob.startsWith("/")) continue;
    throw new BowlineError(
      "InvalidArgument",
      `«${glob.slice(0, 64)}» is not a glob such as deploy/**/*.yaml, of at most ${maxGlobLength} characters, from the folder that is rendered.`,
    );
  }
}

/** Greedy with one step back to the last wildcard, which is enough: an earlier one could take nothing that this cannot. */
function matchGreedily<T>(items: readonly T[], pattern: readonly T[], rules: MatchRules<T>): boolean {
  let item = 0;
  let at = 0;
  let star = -1;
  let starItem = 0;
  while (item < items.length) {
    const expected = pattern[at];
    const current = items[item];
    if (expected !== undefined && rules.isMany(expected)) {
      star = at++;
      starItem = item;
    } else if (expected !== undefined && current !== undefined && rules.fits(current, expected)) {
      item++;
      at++;
    } else if (star >= 0) {
      at = star + 1;
      item = ++starItem;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every(rules.isMany);
}

interface MatchRules<T> {
  readonly isMany: (pattern: T) => boolean;
  readonly fits: (item: T, pattern: T) => boolean;
}

const matchesParts = (parts: readonly string[], pattern: readonly string[]): boolean =>
  matchGreedily(parts, pattern, {
    isMany: (part) => part === "**",
    fits: (part, glob) => matchGreedily(Array.from(part), Array.from(glob), characterRules),
  });

const characterRules: MatchRules<string> = {
  isMany: (character) => character === "*",
  fits: (character, glob) => glob === "?" || character === glob,
};
