/** What is searched for in lines. */
export interface LogQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
}

/** The place of a match in a line: from, and up to but without. */
export type MatchRange = readonly [from: number, to: number];

export interface LineMatcher {
  /** The places of all matches in a text, up to a limit; none where it does not match. */
  find(text: string): MatchRange[];
}

/** Enough to mark in one line. */
const mostRanges = 50;

/** Makes a matcher; throws `SyntaxError` for an expression that is none. */
export function lineMatcher({ text, isRegex, isCaseSensitive }: LogQuery): LineMatcher {
  const flags = isCaseSensitive ? "gu" : "giu";
  const pattern = new RegExp(
    isRegex ? text : text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`),
    flags,
  );
  return {
    find(line) {
      const ranges: MatchRange[] = [];
      // `matchAll` would copy the expression for each line, which takes longer than to look for it.
      pattern.lastIndex = 0;
      for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
        const to = match.index + match[0].length;
        // An expression that matches nothing at all matches every line, with nothing to mark.
        ranges.push([match.index, to]);
        if (ranges.length === mostRanges) break;
        if (match[0] === "") pattern.lastIndex = to + ((line.codePointAt(to) ?? 0) > 0xffff ? 2 : 1);
      }
      return ranges;
    },
  };
}

/** Why an expression cannot be searched for; undefined where it can. */
export function queryProblem(query: LogQuery): string | undefined {
  try {
    lineMatcher(query);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** One piece of a text, inside of a match or not. */
export interface MarkedPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a piece of a line, which begins at `offset`, where matches begin and end. */
export function markRanges(text: string, offset: number, ranges: readonly MatchRange[]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    const start = Math.max(at, Math.min(text.length, from - offset));
    const end = Math.max(start, Math.min(text.length, to - offset));
    if (end === start) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMatch: false });
  return pieces;
}
