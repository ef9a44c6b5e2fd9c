import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { engineOption, profileOption, regionOption, type PlaceFlags } from "../up/up.ts";

export interface DownFlags extends PlaceFlags {
  readonly yes: boolean;
  readonly deleteData: boolean;
  readonly forget?: boolean;
  readonly force?: boolean;
}

export function addDownCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("down")
    .description(
      "Take a control plane away that `bowline up` set up, and its context. It asks before it does.\n\nIt needs no answer of the server, and finds what was made by the mark that everything carries, also where `up` was interrupted or its notes are damaged. Data, and the keys that it is encrypted with, stay unless --delete-data is given; what is left is told. In a cluster it waits until what it deleted is gone. A cluster that `up` made holds the data, so it goes with --delete-data only. `bowline up --list` shows what there is.",
    )
    .argument("[NAME]", "The installation; the only one, if left out")
    .option("-y, --yes", "Do not ask", false)
    .option("--forget", "Forget what cannot be looked at, as where the cluster is gone for good")
    .option("--delete-data", "Delete the data and its keys as well, for ever", false)
    .addOption(
      new Option("--data <FOLDER>", "The data folder of the server, where the notes of `up` are lost"),
    )
    .addOption(
      new Option(
        "--kubeconfig <FILE>",
        "How to reach the cluster, where the notes of `up` are lost or out of date",
      ),
    )
    .addOption(new Option("--kube-context <NAME>", "The context in that kubeconfig"))
    .addOption(new Option("--kind", "It is in a kind cluster, where the notes of `up` are lost"))
    .addOption(engineOption())
    .addOption(new Option("--eks", "It is in a cluster of Amazon EKS, where the notes of `up` are lost"))
    .addOption(regionOption())
    .addOption(profileOption())
    .option(
      "--force",
      "Take it away with the clusters that its server has made still there: what belongs to them nobody knows then",
    )
    .addOption(new Option("-n, --namespace <NAMESPACE>", "Where in that cluster (default: bowline-system)"))
    .action(async (name: string | undefined, options: DownFlags) =>
      (await import("./take-down.ts")).takeDown(context, name, options),
    );
  addExamples(command, [
    { does: "Stop the server on this machine, and keep its data", run: "bowline down local" },
    { does: "Leave nothing", run: "bowline down local --delete-data --yes" },
    {
      does: "Find it by its labels, from a machine that did not set it up",
      run: "bowline down bowline --kubeconfig ~/.kube/config",
    },
    {
      does: "Find it in AWS by its tags alone, and leave nothing of it there",
      run: "bowline down bowline --eks --region eu-west-1 --delete-data",
    },
  ]);
}
