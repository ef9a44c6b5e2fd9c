import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { outputOption } from "../command/shared-options.ts";
import { toDocument } from "../output/to-document.ts";
import { instanceName, instanceUsage } from "../workloads/instance-name.ts";
import { renderTree } from "../workloads/render-tree.ts";

export function addTreeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("tree")
    .usage(`${instanceUsage} [FLAGS]`)
    .description(
      "Show a workload instance with its clusters, its resources in each, and all that those own, such as the pods of a Deployment: how each does, and why. Those in trouble come first.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .option("--cluster <NAME>", "Only in this cluster")
    .addOption(outputOption(["table", "json", "yaml"], "table"))
    .action((argument: string, options: TreeOptions) => showTree(context, instanceName(argument), options));
  addExamples(command, [
    { does: "Find out why a workload is not healthy", run: "bowline tree wi/web" },
    {
      does: "The pods in one cluster, for a program",
      run: "bowline tree wi/web --cluster prod-eu-1 -o json | jq '.clusters[].resources[] | select(.kind == \"Pod\")'",
    },
  ]);
}

interface TreeOptions {
  readonly cluster?: string;
  readonly output: "table" | "json" | "yaml";
}

export async function showTree(
  { client, clock, paint, signal, terminal }: CommandContext,
  name: string,
  { cluster, output }: TreeOptions,
): Promise<void> {
  const tree = await (await client()).tree(name, { cluster }, { signal });
  if (output !== "table") return terminal.out(await toDocument(tree, output));
  terminal.out(renderTree(tree, { nowMs: clock.now(), paint }));
}
