import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addManifestOptions } from "../../manifests/manifest-options.ts";
import { timeoutOption, outputOption } from "../../command/shared-options.ts";
import { applyAll, type ApplyCommandOptions } from "./apply-all.ts";

export function addApplyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("apply")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Make objects what files say: create what is missing, change what differs, leave the rest alone. What others refer to comes first, in whatever order it is written.",
    );
  addManifestOptions(command, { mandatory: true })
    .option("--dry-run", "Have the server check everything and write nothing", false)
    .addOption(outputOption(["json", "yaml", "name"]))
    .option("--wait", "Wait until what was applied is ready", false)
    .addOption(timeoutOption("With --wait: how long to wait for all of it together", "5m"))
    .action((options: ApplyCommandOptions) => applyAll(context, options));
  addExamples(command, [
    {
      does: "Apply a file, and see first what would change",
      run: "bowline diff -f web.yaml\nbowline apply -f web.yaml",
    },
    {
      does: "Apply a folder with its folders, and wait until everything runs",
      run: "bowline apply -R -f deploy/ --wait",
    },
    { does: "Apply what another program prints", run: "kustomize build clusters/ | bowline apply -f -" },
    { does: "Check files without changing anything", run: "bowline apply -f deploy/ --dry-run" },
  ]);
}
