import type { CommandContext } from "../../command/command-context.ts";
import { toDocument } from "../../output/to-document.ts";
import { explainRoot } from "./explain-root.ts";
import { jobTargets } from "./job-targets.ts";
import { printWarnings } from "./print-problems.ts";
import type { RenderFlags } from "./print-render.ts";
import { readKubeObjects } from "./read-kube-objects.ts";
import { renderRoots } from "./render-roots.ts";

export interface ExplainFlags extends RenderFlags {
  readonly output: "text" | "json" | "yaml";
}

/** Prints what became of each monitor; tells whether anything was left out. */
export async function printExplanation(context: CommandContext, options: ExplainFlags): Promise<boolean> {
  const objects = await readKubeObjects(context, options.filename, options);
  const { roots, warnings } = renderRoots(objects, options);
  const targetsOf = jobTargets(objects);
  if (options.output === "text") {
    const explained = roots.map((root) => explainRoot(root, targetsOf(root.result.jobs), context.paint));
    context.terminal.out(explained.join("\n"));
  } else {
    const explanations = roots.map(({ ref, result }) => ({
      ...result.explanation,
      root: ref,
      rejected: result.rejected,
      references: result.references,
      targets: targetsOf(result.jobs),
    }));
    context.terminal.out(await toDocument(explanations, options.output));
  }
  printWarnings(context, warnings);
  return roots.some(({ result }) => result.rejected.length > 0);
}
