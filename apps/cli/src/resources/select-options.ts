import { parseFieldSelector, parseLabelSelector, type Kind } from "@bowline/api";
import type { WatchQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { listObjects } from "./find-objects.ts";
import type { Resource } from "./resource.ts";

/** The flags that choose among the objects of a kind. */
export interface SelectOptions {
  readonly selector?: string;
  readonly fieldSelector?: string;
}

export function addSelectOptions(command: Command): Command {
  return command
    .option("-l, --selector <LABELS>", "Only objects with these labels, e.g. env=prod,tier in (a,b),!canary")
    .option(
      "--field-selector <FIELDS>",
      "Only objects with these fields, e.g. status.conditions.Ready=False",
    );
}

export function hasSelector(options: SelectOptions): boolean {
  return options.selector !== undefined || options.fieldSelector !== undefined;
}

/** Checks both here, where a mistake is answered without asking the server. */
export function selectQuery(kind: Kind, options: SelectOptions): WatchQuery {
  if (options.selector !== undefined) parseLabelSelector(options.selector);
  if (options.fieldSelector !== undefined) parseFieldSelector(kind, options.fieldSelector);
  return { labelSelector: options.selector, fieldSelector: options.fieldSelector };
}

export function refuseSelectorWithNames(options: SelectOptions): void {
  if (!hasSelector(options)) return;
  throw new BowlineError(
    "InvalidArgument",
    "Names say already which objects are meant; leave out either the names or the selector.",
  );
}

/** The objects of these kinds that a selector or `--all` means; one of the two has to be given, and not both. */
export async function selectedResources(
  { client, signal }: CommandContext,
  kinds: readonly Kind[],
  options: SelectOptions & { readonly all: boolean },
): Promise<Resource[]> {
  if (options.all === hasSelector(options)) throw sayWhichObjects();
  const queries = kinds.map((kind) => ({ kind, query: selectQuery(kind, options) }));
  const server = await client();
  const selected: Resource[] = [];
  for (const { kind, query } of queries) {
    const { objects } = await listObjects(server, kind, { query, signal });
    for (const { object } of objects) selected.push({ kind, name: object.metadata.name });
  }
  return selected;
}

export function sayWhichObjects(): BowlineError {
  return new BowlineError("InvalidArgument", "Say which objects: by name, with -l, or --all of them.");
}
