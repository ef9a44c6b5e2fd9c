import { join } from "node:path";

import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { writeNewFiles } from "./write-new-files.ts";

export function addChart(command: Command, context: CommandContext): void {
  const chart = command
    .command("chart")
    .summary("Write the Helm chart of a server")
    .description(
      "Write the Helm chart of a server into a folder: it gives the objects that bowline install manifests prints. Files that are there are never written over.",
    )
    .option("--output-folder <FOLDER>", "Where to write it; made if it is missing", "bowline")
    .action((options: { readonly outputFolder: string }) => writeChart(context, options.outputFolder));
  addExamples(chart, [
    {
      does: "Write the chart, and install it",
      run: "bowline install chart --output-folder bowline\nhelm install bowline ./bowline --namespace bowline-system --create-namespace",
    },
  ]);
}

async function writeChart(context: CommandContext, folder: string): Promise<void> {
  const { chartFiles } = await import("@bowline/install");
  const { serverSettings: settings } = await import("@bowline/server/settings");
  const files = chartFiles({ version: context.version, settings });
  await writeNewFiles(context, new Map([...files].map(([path, content]) => [join(folder, path), content])));
}
