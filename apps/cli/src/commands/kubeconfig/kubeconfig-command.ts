import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import type { KubeconfigOptions } from "./write-kubeconfig.ts";

export function addKubeconfigCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("kubeconfig")
    .usage("(NAME... | --all) [FLAGS]")
    .description(
      "Print a kubeconfig with which kubectl, and everything else that reads one, reaches clusters through the server, or merge it into yours. It holds no token: kubectl asks `bowline credential` for the one of your context.",
    )
    .argument("[NAME...]", "The clusters; cluster NAME becomes the context bowline-NAME")
    .option("--all", "Every cluster", false)
    .option(
      "--merge",
      "Write to the file that kubectl uses (KUBECONFIG, or ~/.kube/config); what else is in it stays",
      false,
    )
    .addOption(new Option("-o, --output <FORMAT>", "How to print it").choices(["json", "yaml"]))
    .action(async (names: string[], options: KubeconfigOptions) => {
      const { writeKubeconfig } = await import("./write-kubeconfig.ts");
      await writeKubeconfig(context, names, options);
    });
  addExamples(command, [
    {
      does: "Let kubectl reach a cluster",
      run: "bowline kubeconfig prod-eu-1 --merge\nkubectl --context bowline-prod-eu-1 get pods -A",
    },
    { does: "The same for all of them", run: "bowline kubeconfig --all --merge" },
    { does: "Keep it in a file of its own", run: "bowline kubeconfig prod-eu-1 > prod-eu-1.kubeconfig" },
  ]);
}
