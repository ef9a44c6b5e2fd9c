import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";

export function addKubectlCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("kubectl")
    .usage("NAME -- ARGUMENTS...")
    .description(
      "Run kubectl against a cluster, through the server, without changing any kubeconfig. It ends with the exit code of kubectl.",
    )
    .argument("<NAME>", "The cluster")
    .argument(
      "[ARGUMENTS...]",
      "What kubectl is to do; write -- before them, so that their flags are kubectl's",
    )
    .action(async (name: string, args: string[]) => {
      const { runKubectl } = await import("./run-kubectl.ts");
      await runKubectl(context, name, args);
    });
  addExamples(command, [
    { does: "List the pods of a cluster", run: "bowline kubectl prod-eu-1 -- get pods -A" },
    {
      does: "Apply what another program prints",
      run: "helm template web | bowline kubectl prod-eu-1 -- apply -f -",
    },
  ]);
}
