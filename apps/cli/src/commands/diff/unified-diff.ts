import { structuredPatch } from "diff";

import { placeOf, type Manifest } from "../../manifests/manifest.ts";
import { resourceName } from "../../resources/resource.ts";
import type { Paint } from "../../terminal/paint.ts";

interface DiffOptions {
  readonly manifest: Manifest;
  readonly paint: Paint;
}

/** The exact difference of two huge texts that share nothing takes forever, and nobody would read it. */
const longestDiffMs = 5_000;

/** Two texts as a unified diff, or nothing when they are the same. */
export function unifiedDiff(before: string, after: string, { manifest, paint }: DiffOptions): string {
  if (before === after) return "";
  const name = resourceName(manifest);
  const patch = structuredPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: longestDiffMs,
  });
  const lines = patch?.hunks.flatMap((hunk) => [
    paint("cyan", `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`),
    ...hunk.lines.map((line) => paintLine(paint, line)),
  ]) ?? ["The two are too different to show how."];
  const headers = [
    `--- ${name}${before === "" ? " (missing)" : ""}`,
    `+++ ${name} (${placeOf(manifest.origin)})`,
  ];
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
