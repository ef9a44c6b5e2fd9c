import { isRecord } from "@bowline/core";
import { structuredPatch } from "diff";

import type { Paint } from "../../command/terminal.ts";

export interface DiffNames {
  /** What it is called before and after. */
  readonly before: string;
  readonly after: string;
}

/** The exact difference of two huge texts that share nothing takes forever, and nobody would read it. */
const longestDiffMs = 5_000;

/** Two texts as a unified diff, or nothing when they are the same. */
export function unifiedDiff(before: string, after: string, names: DiffNames, paint: Paint): string {
  if (before === after) return "";
  const patch = structuredPatch(names.before, names.after, before, after, undefined, undefined, {
    context: 3,
    timeout: longestDiffMs,
  });
  const lines = patch?.hunks.flatMap((hunk) => [
    paint("cyan", `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`),
    ...hunk.lines.map((line) => paintLine(paint, line)),
  ]) ?? ["The two are too different to show how."];
  const headers = [`--- ${names.before}`, `+++ ${names.after}`];
  return [...headers.map((line) => paint("bold", line)), ...lines].map((line) => `${line}\n`).join("");
}

/** No lines begin after the line before them: that is how programs that apply patches want it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function paintLine(paint: Paint, line: string): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}

/** The same value with its keys in one order, which means nothing and must not look like a change. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inKeyOrder(item)]));
}
