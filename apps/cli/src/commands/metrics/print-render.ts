import { formatRef } from "@bowline/monitoring";

import type { CommandContext } from "../../command/command-context.ts";
import { printRejections, printWarnings } from "./print-problems.ts";
import { readKubeObjects } from "./read-kube-objects.ts";
import { renderRoots } from "./render-roots.ts";
import type { MetricsOptions } from "./metrics-options.ts";

export interface RenderFlags extends MetricsOptions {
  readonly filename: readonly string[];
  readonly recursive: boolean;
}

/** Prints the configuration of each root; tells whether anything was left out. */
export async function printRender(context: CommandContext, options: RenderFlags): Promise<boolean> {
  const objects = await readKubeObjects(context, options.filename, options);
  const { roots, warnings } = renderRoots(objects, options);
  // What reads one configuration must not meet a separator of documents.
  const isOnly = roots.length === 1;
  for (const { ref, result } of roots) {
    context.terminal.out(isOnly ? result.config : `---\n# ${formatRef(ref)}\n${result.config}`);
  }
  printWarnings(context, warnings);
  return printRejections(context, roots);
}
