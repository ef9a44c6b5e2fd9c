import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { addChart } from "./chart.ts";
import { addCompose } from "./compose.ts";
import { addManifests } from "./manifests.ts";
import { addValues } from "./values.ts";

export function addInstallCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("install")
    .description(
      "Print what installs a server: the objects for Kubernetes, a Helm chart that gives the same objects, or a compose file. All of them are made from the same values; nothing is installed, and no cluster is asked.\n\nSecrets are never values: the values name Secrets that are there already.",
    );
  addExamples(command, [
    {
      does: "One server on SQLite in the cluster that kubectl reaches",
      run: "bowline install manifests --create-namespace | kubectl apply -f -",
    },
    { does: "All values, each with what it is for", run: "bowline install values > values.yaml" },
  ]);
  addManifests(command, context);
  addChart(command, context);
  addCompose(command, context);
  addValues(command, context);
}
