import type { CommandContext } from "../../command/command-context.ts";
import { toDocument } from "../../output/to-document.ts";
import { compareRoots, type RootDiff } from "./compare-roots.ts";
import { diffLines } from "./diff-lines.ts";
import type { MetricsOptions } from "./metrics-options.ts";
import { printWarnings } from "./print-problems.ts";
import { readKubeObjects } from "./read-kube-objects.ts";
import { renderRoots } from "./render-roots.ts";

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
