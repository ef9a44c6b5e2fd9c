import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { addExamples } from "../../command/examples.ts";
import { addManifestOptions, type ManifestOptions } from "../../manifests/manifest-options.ts";
import { diffAll } from "./diff-all.ts";

/** As of `diff` and `kubectl diff`, so that scripts that know those know this one. */
const exitCodes = { different: 1, failed: 2 };

export function addDiffCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("diff")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Show what apply would change. Exits with 0 when nothing would, 1 when something would, 2 when it cannot tell. Secrets are never shown, only that they would change.",
    );
  addManifestOptions(command, { mandatory: true }).action(async (options: ManifestOptions) => {
    const isDifferent = await diffAll(context, options).catch((thrown: unknown) => {
      throw new CommandExit(exitCodes.failed, thrown);
    });
    if (isDifferent) throw new CommandExit(exitCodes.different);
  });
  addExamples(command, [
    { does: "See what a file would change", run: "bowline diff -f web.yaml" },
    {
      does: "Apply a folder only if it would change something",
      run: "bowline diff -R -f deploy/ || bowline apply -R -f deploy/",
    },
  ]);
}
