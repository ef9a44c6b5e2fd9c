import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { getObjects, listObjects, type LookedUp } from "../../resources/find-objects.ts";
import { parseResources, resourceUsage, type FoundObject } from "../../resources/resource.ts";
import {
  addSelectOptions,
  refuseSelectorWithNames,
  selectQuery,
  type SelectOptions,
} from "../../resources/select-options.ts";
import { describeObject } from "./describe-object.ts";
import { findRelated } from "./find-related.ts";

export function addDescribeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("describe")
    .usage(`${resourceUsage} [FLAGS]`)
    .description(
      "Show everything about objects for people to read: what they should be, how they are, what they refer to, what refers to them, and what happened to them lately.",
    )
    .argument("[resources...]", "KIND, KIND NAME or KIND/NAME");
  addSelectOptions(command)
    .option("--no-events", "Leave out what happened to them")
    .action((args: string[], options: DescribeOptions) => describeAll(context, args, options));
  addExamples(command, [
    { does: "Find out why a cluster is not ready", run: "bowline describe cluster prod-eu-1" },
    { does: "Every instance in production", run: "bowline describe workloadinstances -l env=prod" },
  ]);
}

export interface DescribeOptions extends SelectOptions {
  readonly events: boolean;
}

/** Nobody reads more, and each takes a few requests. */
const maxDescribed = 100;

export async function describeAll(
  context: CommandContext,
  args: readonly string[],
  options: DescribeOptions,
): Promise<void> {
  const { found, missing } = await find(context, args, options);
  const client = await context.client();
  for (const [index, item] of found.entries()) {
    const related = await findRelated(client, item, {
      events: options.events,
      signal: context.signal,
    });
    const text = describeObject(item, related, { nowMs: context.clock.now(), paint: context.paint });
    context.terminal.out(index === 0 ? text : `\n\n${text}`);
  }
  if (found.length === 0 && missing.length === 0) context.terminal.error("No objects found.\n");
  for (const error of missing) context.terminal.error(`error: ${printableLine(error.message)}\n`);
  if (missing.length > 0) throw new CommandExit(1);
}

async function find(
  { client, signal }: CommandContext,
  args: readonly string[],
  options: DescribeOptions,
): Promise<LookedUp> {
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    return getObjects(await client(), wanted.resources, signal);
  }
  const queries = wanted.kinds.map((kind) => ({ kind, query: selectQuery(kind, options) }));
  const found: FoundObject[] = [];
  for (const { kind, query } of queries) {
    found.push(
      ...(await listObjects(await client(), kind, { query, limit: maxDescribed + 1, signal })).objects,
    );
  }
  if (found.length <= maxDescribed) return { found, missing: [] };
  throw new BowlineError(
    "InvalidArgument",
    `There are more than ${maxDescribed} objects to describe; choose some by name or with -l.`,
  );
}
