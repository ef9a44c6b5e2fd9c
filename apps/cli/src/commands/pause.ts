import { pauseChange, resumeChange, WorkloadInstance } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { instanceName, instanceUsage } from "../workloads/instance-name.ts";
import { patchInstance } from "../workloads/patch-instance.ts";

export function addPauseCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("pause")
    .usage(`${instanceUsage} [FLAGS]`)
    .description(
      "Leave the clusters of a workload instance as they are: no new revision, no new cluster, nothing removed, until bowline resume. What somebody changes in a cluster by hand is still set right.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .option("--reason <TEXT>", "Why, for whoever finds it paused", "")
    .action((argument: string, options: PauseOptions) => pause(context, instanceName(argument), options));
  addExamples(command, [
    { does: "Stop where it is", run: "bowline pause wi/web" },
    { does: "Say why", run: 'bowline pause wi/web --reason "no changes before Monday"' },
  ]);
}

interface PauseOptions {
  readonly reason: string;
}

export async function pause(context: CommandContext, name: string, { reason }: PauseOptions): Promise<void> {
  const { terminal, signal } = context;
  const client = await context.client();
  const instance = await client.get(WorkloadInstance, name, { signal });
  await patchInstance(client, instance, pauseChange(reason), signal);
  terminal.out(`workloadinstance/${name} paused\n`);
  terminal.error(`Let it go on: bowline resume wi/${name}\n`);
}

export function addResumeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("resume")
    .usage(instanceUsage)
    .description(
      "Let a workload instance go on that was paused, or whose rollout has stopped because clusters failed. A rollout goes on with as many failures as there are, and stops at the next.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .action((argument: string) => resume(context, instanceName(argument)));
  addExamples(command, [{ does: "Let it go on", run: "bowline resume wi/web" }]);
}

export async function resume(context: CommandContext, name: string): Promise<void> {
  const { terminal, signal } = context;
  const client = await context.client();
  const instance = await client.get(WorkloadInstance, name, { signal });
  const change = resumeChange(instance);
  if (change === undefined) {
    terminal.error(`Nothing stands still; see how it does: bowline describe wi/${name}\n`);
    return;
  }
  await patchInstance(client, instance, change, signal);
  terminal.out(`workloadinstance/${name} resumed\n`);
  terminal.error(`See it happen: bowline wait --for healthy wi/${name}\n`);
}
