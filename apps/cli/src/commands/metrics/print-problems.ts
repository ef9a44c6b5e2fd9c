import { formatRef } from "@bowline/monitoring";

import type { CommandContext } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";
import type { RenderedRoot } from "./render-roots.ts";

/** On standard error, so that what is printed can be piped on. */
export function printWarnings(
  { terminal }: Pick<CommandContext, "terminal">,
  warnings: readonly string[],
): void {
  for (const warning of warnings) terminal.error(`warning: ${printableLine(warning)}\n`);
}

/** Says of each object that was left out what is wrong and what to do; tells whether there was one. */
export function printRejections(
  { terminal }: Pick<CommandContext, "terminal">,
  roots: readonly RenderedRoot[],
): boolean {
  // A monitor that several roots select has the same problems under each.
  const lines = new Set(
    roots.flatMap(({ result }) =>
      result.rejected.flatMap(({ object, problems }) =>
        problems.map(({ message, fix }) => `rejected: ${formatRef(object)}: ${message} ${fix}`),
      ),
    ),
  );
  for (const line of lines) terminal.error(`${printableLine(line)}\n`);
  return lines.size > 0;
}
