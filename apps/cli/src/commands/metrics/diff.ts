import { diff, formatRef, type NamedDiff, type RenderDiff } from "@bowline/monitoring";

import type { CommandContext } from "../../command/command-context.ts";
import type { Paint } from "../../command/terminal.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";
import type { MetricsOptions } from "./metrics-options.ts";
import { readKubeObjects } from "./read-kube-objects.ts";
import { printWarnings, renderRoots, type RenderedRoot } from "./render.ts";

export interface DiffFlags extends MetricsOptions {
  readonly recursive: boolean;
  readonly output: "text" | "json" | "yaml";
}

export interface TwoSets {
  readonly before: string;
  readonly after: string;
}

/** Prints how the configurations of two sets differ; tells whether they do. */
export async function printDiff(
  context: CommandContext,
  { before, after }: TwoSets,
  options: DiffFlags,
): Promise<boolean> {
  const read = async (path: string) => renderRoots(await readKubeObjects(context, [path], options), options);
  const [old, now] = [await read(before), await read(after)];
  const diffs = compareRoots(old.roots, now.roots);
  context.terminal.out(
    options.output === "text" ? textOf(diffs, context) : await toDocument(diffs, options.output),
  );
  printWarnings(context, [...new Set([...old.warnings, ...now.warnings])]);
  return diffs.some(({ change }) => change !== "none");
}

function textOf(diffs: readonly RootDiff[], { paint }: CommandContext): string {
  return diffs
    .flatMap((each) => diffLines(each, paint))
    .map((line) => `${line}\n`)
    .join("");
}

/** How the configuration of one root changed. */
interface RootDiff {
  readonly root: string;
  readonly change: "none" | "added" | "removed" | "changed";
  /** Only where both sets have the root. */
  readonly diff?: RenderDiff;
}

/** Roots are compared by their names; one on each side are compared whatever they are called. */
function compareRoots(before: readonly RenderedRoot[], after: readonly RenderedRoot[]): RootDiff[] {
  const [old, now] = [before[0], after[0]];
  if (old !== undefined && now !== undefined && before.length === 1 && after.length === 1) {
    return [compareTwo(old, now)];
  }
  const byName = new Map(before.map((root) => [formatRef(root.ref), root]));
  const kept = new Set(after.map(({ ref }) => formatRef(ref)));
  return [
    ...before
      .map(({ ref }) => formatRef(ref))
      .filter((root) => !kept.has(root))
      .map((root): RootDiff => ({ root, change: "removed" })),
    ...after.map((root): RootDiff => {
      const other = byName.get(formatRef(root.ref));
      return other === undefined ? { root: formatRef(root.ref), change: "added" } : compareTwo(other, root);
    }),
  ];
}

function compareTwo(before: RenderedRoot, after: RenderedRoot): RootDiff {
  const result = diff(before.result, after.result);
  const [from, to] = [formatRef(before.ref), formatRef(after.ref)];
  return {
    root: from === to ? to : `${from} → ${to}`,
    change: result.equal ? "none" : "changed",
    diff: result,
  };
}

/** A difference as lines for people: names and keys, never values, which may be secrets. Nothing for no difference. */
function diffLines({ root, change, diff }: RootDiff, paint: Paint): string[] {
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
