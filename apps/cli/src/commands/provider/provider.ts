import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption, timeoutOption } from "../../command/shared-options.ts";
import { testProvider, type TestProviderOptions } from "./test-provider.ts";

/** `bowline provider test`. */
export function addProviderCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("provider")
    .description("Work on programs that make clusters, for the provider `exec`.");
  const test = command
    .command("test")
    .summary("Say whether a program keeps the protocol, by throw-away clusters")
    .description(
      "Make and delete throw-away clusters by a program, and say what of the protocol it does not keep. Every question is asked twice, every answer is lost once, and what is left after a deletion is looked for: as happens when a server is restarted at the wrong moment. One cluster is made for each step of the program, and one more; they cost what clusters cost. Ctrl-C takes them away as well.\n\nThe exit code is 0 when the program may be trusted with clusters and 1 when it may not.",
    )
    .argument("<PROGRAM>", "The file of the program")
    .argument("[ARGUMENTS...]", "What the program is started with, behind --")
    .option("--spec <FILE>", "The Cluster to make, or its spec, as YAML or JSON")
    .option(
      "--env <NAMES...>",
      "Give the program these variables of the environment, as Credentials would be",
    )
    .addOption(timeoutOption("How long a cluster may take to become ready, or to be gone", "30m"))
    .addOption(outputOption(["json", "yaml"]))
    .action((path: string, args: readonly string[], options: TestProviderOptions) =>
      testProvider(context, [path, ...args], options),
    );
  addExamples(command, [
    { does: "Whether a program keeps the protocol", run: "bowline provider test ./make-cluster" },
  ]);
  addExamples(test, [
    { does: "Whether a program keeps the protocol", run: "bowline provider test ./make-cluster" },
    {
      does: "With the spec of a Cluster, and a secret from the environment",
      run: "bowline provider test ./make-cluster --spec cluster.yaml --env CLOUD_TOKEN",
    },
    {
      does: "With what the program says meanwhile, and arguments of its own",
      run: "bowline provider test -v ./make-cluster -- --region eu-1",
    },
    { does: "For a pipeline", run: "bowline provider test ./make-cluster -o json | jq .checks" },
  ]);
}
