import { Option, type Command } from "commander";

import type { CommandContext } from "../../command-context.ts";
import { addExamples } from "../../help/examples.ts";
import type { AddClusterOptions } from "./add-cluster.ts";
import type { RotateOptions } from "./agent-access.ts";
import { namespaceOption } from "./namespace-option.ts";

const collect = (label: string, labels: readonly string[] = []): string[] => [...labels, label];

export function addAdd(command: Command, context: CommandContext): void {
  const add = command
    .command("add")
    .summary("Add a cluster, and print what runs its agent")
    .description(
      "Add a cluster, and print the manifest that runs its agent there, to be piped to kubectl apply. The manifest holds a join token, which works once and not for long.",
    )
    .argument("<NAME>", "What to call the cluster")
    .addOption(new Option("-l, --labels <KEY=VALUE>", "A label; give it again for more").argParser(collect))
    .option("--region <REGION>", "Where the cluster runs")
    .option("--image <IMAGE>", "The image of the agent; the one of this version, if left out");
  addManifestFlags(add).action(async (name: string, options: AddClusterOptions) => {
    const { addCluster } = await import("./add-cluster.ts");
    await addCluster(context, name, options);
  });
  addExamples(add, [
    {
      does: "Add a cluster that kubectl reaches already",
      run: "bowline cluster add prod-eu-1 -l env=prod | kubectl --context prod-eu-1 apply -f -",
    },
    {
      does: "Leave more time, and keep the manifest for somebody else to apply",
      run: "bowline cluster add prod-eu-1 --expires 24h > agent.yaml",
    },
  ]);
}

export function addRotate(command: Command, context: CommandContext): void {
  const rotate = command
    .command("rotate")
    .summary("Let an agent join again, with a new key")
    .description(
      "Print a Secret with a new join token, to be piped to kubectl apply. The agent makes a new key when it joins with it, and the one from before stops working then.",
    )
    .argument("<NAME>", "The cluster");
  addManifestFlags(rotate).action(async (name: string, options: RotateOptions) => {
    const { rotateAgent } = await import("./agent-access.ts");
    await rotateAgent(context, name, options);
  });
  addExamples(rotate, [
    {
      does: "Renew the key of an agent",
      run: "bowline cluster rotate prod-eu-1 | kubectl --context prod-eu-1 apply -f -\nkubectl --context prod-eu-1 -n bowline-system rollout restart deployment/bowline-agent",
    },
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
