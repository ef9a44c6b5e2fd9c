import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import type { AddClusterOptions } from "./add-cluster.ts";
import type { RotateOptions } from "./agent-access.ts";
import { namespaceOption } from "./namespace-option.ts";
import type { KubeOptions } from "./run-here.ts";

interface RunFlags extends KubeOptions {
  readonly run: boolean;
}

const collect = (label: string, labels: readonly string[] = []): string[] => [...labels, label];

export function addAdd(command: Command, context: CommandContext): void {
  const add = command
    .command("add")
    .summary("Add a cluster, and print what runs its agent")
    .description(
      "Add a cluster, and print the manifest that runs its agent there, to be piped to kubectl apply. The manifest holds a join token, which works once and not for long.\n\nWith --run, the agent runs here instead, in the foreground, and reaches the cluster by a kubeconfig. It keeps who it is in a folder of its own below ~/.local/share/bowline/agents; the same command connects it again. What else the agent can be told, it takes from its environment variables.",
    )
    .argument("<NAME>", "What to call the cluster")
    .addOption(new Option("-l, --labels <KEY=VALUE>", "A label; give it again for more").argParser(collect))
    .option("--region <REGION>", "Where the cluster runs")
    .option("--image <IMAGE>", "The image of the agent; the one of this version, if left out");
  addRunFlags(addManifestFlags(add), ["image"]).action(
    async (name: string, options: AddClusterOptions & RunFlags) => {
      if (isToRun(options)) {
        const { addClusterHere } = await import("./run-here.ts");
        return addClusterHere(context, name, options);
      }
      const { addCluster } = await import("./add-cluster.ts");
      return addCluster(context, name, options);
    },
  );
  addExamples(add, [
    {
      does: "Add a cluster that kubectl reaches already",
      run: "bowline cluster add prod-eu-1 -l env=prod | kubectl --context prod-eu-1 apply -f -",
    },
    {
      does: "Leave more time, and keep the manifest for somebody else to apply",
      run: "bowline cluster add prod-eu-1 --expires 24h > agent.yaml",
    },
    {
      does: "Run the agent here, for a cluster of the kubeconfig",
      run: "bowline cluster add edge --run --kube-context edge",
    },
  ]);
}

export function addRotate(command: Command, context: CommandContext): void {
  const rotate = command
    .command("rotate")
    .summary("Let an agent join again, with a new key")
    .description(
      "Print a Secret with a new join token, to be piped to kubectl apply. The agent makes a new key when it joins with it, and the one from before stops working then.\n\nAn agent that `bowline cluster add --run` has started is stopped first; then `bowline cluster rotate --run` starts it with a new key.",
    )
    .argument("<NAME>", "The cluster");
  addRunFlags(addManifestFlags(rotate)).action(async (name: string, options: RotateOptions & RunFlags) => {
    if (isToRun(options)) {
      const { rotateHere } = await import("./run-here.ts");
      return rotateHere(context, name, options);
    }
    const { rotateAgent } = await import("./agent-access.ts");
    return rotateAgent(context, name, options);
  });
  addExamples(rotate, [
    {
      does: "Renew the key of an agent",
      run: "bowline cluster rotate prod-eu-1 | kubectl --context prod-eu-1 apply -f -\nkubectl --context prod-eu-1 -n bowline-system rollout restart deployment/bowline-agent",
    },
    { does: "Of one that runs here", run: "bowline cluster rotate edge --run --kube-context edge" },
  ]);
}

export function addRevoke(command: Command, context: CommandContext): void {
  const revoke = command
    .command("revoke")
    .summary("Shut out agents, at once")
    .description(
      "Shut out the agents of clusters, at once and for good: connections are closed, and keys and unused join tokens stop working. `bowline cluster rotate` lets an agent in again.",
    )
    .argument("<NAME...>", "The clusters")
    .action(async (names: string[]) => {
      const { revokeAgents } = await import("./agent-access.ts");
      await revokeAgents(context, names);
    });
  addExamples(revoke, [{ does: "Shut out the agent of a cluster", run: "bowline cluster revoke prod-eu-1" }]);
}

function addManifestFlags(command: Command): Command {
  return command
    .option(
      "--expires <DURATION>",
      "How long the join token works: between a minute and a week, such as 45m or 24h",
      "1h",
    )
    .addOption(namespaceOption())
    .addOption(
      new Option("-o, --output <FORMAT>", "How to print the manifest")
        .choices(["yaml", "json"])
        .default("yaml"),
    );
}

/** What a manifest could be told is of no use to an agent that runs here. */
function addRunFlags(command: Command, ofManifests: readonly string[] = []): Command {
  return command
    .addOption(
      new Option("--run", "Run the agent here, until Ctrl-C, instead of printing a manifest")
        .conflicts(["expires", "namespace", "output", ...ofManifests])
        .default(false),
    )
    .option("--kubeconfig <FILE>", "With --run: how to reach the cluster (default: as kubectl does)")
    .option("--kube-context <NAME>", "With --run: the context in the kubeconfig (default: the current one)");
}

function isToRun({ run, kubeconfig, kubeContext }: RunFlags): boolean {
  if (run || (kubeconfig === undefined && kubeContext === undefined)) return run;
  throw new BowlineError("InvalidArgument", "--kubeconfig and --kube-context are for --run.");
}
