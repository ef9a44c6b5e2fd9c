import type { CommandContext } from "../../command-context.ts";
import { toDocument } from "../../output/to-document.ts";
import { explainRoot } from "./explain-root.ts";
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
  if (options.output === "text") {
    context.terminal.out(roots.map((root) => explainRoot(root, context.paint)).join("\n"));
  } else {
    const explanations = roots.map(({ ref, result }) => ({
      ...result.explanation,
      root: ref,
      rejected: result.rejected,
      references: result.references,
    }));
    context.terminal.out(await toDocument(explanations, options.output));
  }
  printWarnings(context, warnings);
  return roots.some(({ result }) => result.rejected.length > 0);
}
