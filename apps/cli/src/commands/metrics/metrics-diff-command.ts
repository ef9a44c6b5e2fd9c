import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { addExamples } from "../../command/examples.ts";
import { addMetricsOptions } from "./metrics-options.ts";
import type { DiffFlags, TwoSets } from "./print-diff.ts";

/** As of `diff` and `kubectl diff`, so that scripts that know those know this one. */
const exitCodes = { different: 1, failed: 2 };

type Flags = DiffFlags & { readonly filename?: readonly string[] };

export function addMetricsDiffCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command("diff")
    .usage("OLD NEW [FLAGS]")
    .summary("Compare the configurations of two sets of custom resources")
    .description(
      "Compare the configurations of two sets of custom resources, each a file, a folder or - for standard input: which jobs and remote writes come, go and change, and in which keys. Values are never shown, because they may be secrets. Exits with 0 when nothing differs, 1 when something does, 2 when it cannot tell.",
    )
    .argument("[OLD]", "The set to compare with")
    .argument("[NEW]", "The set that may differ");
  addMetricsOptions(addSetOptions(command), { selection: "auto" })
    .addOption(
      new Option("-o, --output <FORMAT>", "How to print it")
        .choices(["text", "json", "yaml"])
        .default("text"),
    )
    .action(async (old: string | undefined, now: string | undefined, options: Flags) => {
      const sets = twoSets([old, now, ...(options.filename ?? [])]);
      const { printDiff } = await import("./print-diff.ts");
      const isDifferent = await printDiff(context, sets, options).catch((thrown: unknown) => {
        throw new CommandExit(exitCodes.failed, thrown);
      });
      if (isDifferent) throw new CommandExit(exitCodes.different);
    });
  addExamples(command, [
    { does: "What a change does to the configuration", run: "bowline metrics diff main/ branch/" },
    {
      does: "Whether a move from the Grafana Agent Operator loses anything",
      run: "bowline metrics diff -R grafana/ bowline/ --compat grafana-agent --placeholders",
    },
    {
      does: "Stop a pipeline when jobs would change",
      run: "git show main:monitoring.yaml | bowline metrics diff - monitoring.yaml",
    },
  ]);
}

function addSetOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "-f, --filename <FILE>",
        "The sets in place of arguments: once for the old one, once for the new one",
      ).argParser((file: string, before: readonly string[] | undefined) => [...(before ?? []), file]),
    )
    .option("-R, --recursive", "Look into the folders of a folder as well", false);
}

function twoSets(given: readonly (string | undefined)[]): TwoSets {
  const [before, after, ...more] = given.filter((path) => path !== undefined);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new BowlineError(
      "InvalidArgument",
      "Name two sets, the old one and the new one; a set of several files is a folder.",
    );
  }
  if (before === "-" && after === "-") {
    throw new BowlineError("InvalidArgument", "Standard input can be one of the two sets only.");
  }
  return { before, after };
}
