import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption } from "../../command/shared-options.ts";
import { toDocument } from "../../output/to-document.ts";
import { addValueFlags, chooseValues, hasValues, type ValueFlags } from "./value-options.ts";

export function addValues(command: Command, context: CommandContext): void {
  const values = command
    .command("values")
    .summary("Print all values, or check yours")
    .description(
      "Print every value with its default, and what it is for. With values given, check them, and print them with the defaults of all others.",
    );
  addValueFlags(values)
    .option("--schema", "Print the JSON schema of the values instead, for editors", false)
    .addOption(outputOption(["yaml", "json"], "yaml"))
    .action((options: ValuesOptions) => printValues(context, options));
  addExamples(values, [
    { does: "Begin a file of values", run: "bowline install values > values.yaml" },
    { does: "Check a file of values", run: "bowline install values -f values.yaml > /dev/null" },
    {
      does: "For an editor that checks while you write",
      run: "bowline install values --schema > schema.json",
    },
  ]);
}

interface ValuesOptions extends ValueFlags {
  readonly schema: boolean;
  readonly output: "yaml" | "json";
}

async function printValues(context: CommandContext, options: ValuesOptions): Promise<void> {
  const { terminal } = context;
  const { values, settings } = await chooseValues(context, options);
  const { valuesFile, valuesSchemaFile } = await import("@bowline/install");
  if (options.schema) terminal.out(valuesSchemaFile(settings));
  else if (hasValues(options) || options.output === "json")
    terminal.out(await toDocument(values, options.output));
  else terminal.out(valuesFile(settings));
}
