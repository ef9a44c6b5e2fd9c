import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { noHeadersOption, outputOption } from "../../command/shared-options.ts";
import { addSelectOptions } from "../../resources/select-options.ts";
import type { DescribeOptions } from "../describe/describe.ts";
import type { GetOptions } from "../get.ts";
import { addAdd } from "./add.ts";
import { addCreate } from "./create.ts";
import { addRevoke, addRotate } from "./agent-keys.ts";
import { addEksToken } from "./eks-token.ts";
import { addPolicy } from "./policy.ts";
import { addRemove } from "./remove.ts";

export function addClusterCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("cluster")
    .description(
      "Add clusters, have new ones made, look at them, renew and revoke the keys of their agents, and remove them.",
    );
  addExamples(command, [
    {
      does: "Add a cluster: run the agent in it that connects to the server",
      run: "bowline cluster add prod-eu-1 | kubectl --context prod-eu-1 apply -f -",
    },
    {
      does: "Have a cluster made",
      run: "bowline cluster create dev --provider kind",
    },
    { does: "See which clusters are connected", run: "bowline cluster list" },
    {
      does: "Shut out an agent whose key got into the wrong hands",
      run: "bowline cluster revoke prod-eu-1",
    },
  ]);
  addAdd(command, context);
  addCreate(command, context);
  addList(command, context);
  addDescribe(command, context);
  addRotate(command, context);
  addRevoke(command, context);
  addRemove(command, context);
  addPolicy(command, context);
  addEksToken(command, context);
}

/** Flags of `get` that this command has not, as they are when nobody says otherwise. */
const plainGet = { ignoreNotFound: false, watchOnly: false, outputWatchEvents: false } as const;

type ListOptions = Omit<GetOptions, keyof typeof plainGet>;

export function addList(command: Command, context: CommandContext): void {
  const list = command
    .command("list")
    .alias("ls")
    .summary("List clusters")
    .description(
      "List clusters, with whether their agents are connected; the same as `bowline get clusters`.",
    );
  addSelectOptions(list)
    .addOption(outputOption(["table", "wide", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .option("--show-labels", "Add a column with the labels", false)
    .option("-w, --watch", "Go on to show what changes", false)
    .action(async (options: ListOptions) => {
      const all = { ...options, ...plainGet };
      if (options.watch) {
        const { watchAndPrint } = await import("../get-watch.ts");
        return watchAndPrint(context, ["clusters"], all);
      }
      const { getAndPrint } = await import("../get.ts");
      return getAndPrint(context, ["clusters"], all);
    });
  addExamples(list, [
    { does: "List those of production, with every column", run: "bowline cluster list -l env=prod -o wide" },
  ]);
}

function addDescribe(command: Command, context: CommandContext): void {
  const describe = command
    .command("describe")
    .summary("Show everything about clusters")
    .description(
      "Show everything about clusters, their agents and what happened lately; the same as `bowline describe cluster`.",
    )
    .argument("<NAME...>", "The clusters")
    .option("--no-events", "Leave out what happened to them")
    .action(async (names: string[], options: DescribeOptions) => {
      const { describeAll } = await import("../describe/describe.ts");
      await describeAll(context, ["cluster", ...names], options);
    });
  addExamples(describe, [
    { does: "Find out why an agent does not connect", run: "bowline cluster describe prod-eu-1" },
  ]);
}
