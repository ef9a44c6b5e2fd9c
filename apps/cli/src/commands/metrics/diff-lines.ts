import type { NamedDiff } from "@bowline/monitoring";

import { printableLine } from "../../output/terminal-text.ts";
import type { Paint } from "../../command/terminal.ts";
import type { RootDiff } from "./compare-roots.ts";

/** A difference as lines for people: names and keys, never values, which may be secrets. Nothing for no difference. */
export function diffLines({ root, change, diff }: RootDiff, paint: Paint): string[] {
  if (change === "none") return [];
  if (diff === undefined) return [paintLine(paint, change === "added" ? `+ ${root}` : `- ${root}`)];
  const { jobs, remoteWrites, global, rejected, reordered } = diff;
  return [
    paint("bold", printableLine(root)),
    ...[
      ...namedLines("job", jobs),
      ...namedLines("remote write", remoteWrites),
      ...namedLines("global", global),
      ...rejected.added.map((name) => `- ${name} is rejected now`),
      ...rejected.removed.map((name) => `+ ${name} is rejected no more`),
      ...(reordered ? ["~ the order of the jobs"] : []),
    ].map((line) => paintLine(paint, `  ${line}`)),
  ];
}

function namedLines(what: string, { added, removed, changed }: NamedDiff): string[] {
  return [
    ...removed.map((name) => `- ${what} ${name}`),
    ...added.map((name) => `+ ${what} ${name}`),
    ...changed.map(({ name, keys }) => `~ ${what} ${name}: ${keys.join(", ")}`),
  ];
}

function paintLine(paint: Paint, line: string): string {
  const text = printableLine(line);
  const mark = line.trimStart()[0];
  if (mark === "+") return paint("green", text);
  return mark === "-" ? paint("red", text) : text;
}
