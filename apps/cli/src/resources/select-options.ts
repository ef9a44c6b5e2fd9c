import { parseFieldSelector, parseLabelSelector, type Kind } from "@bowline/api";
import type { WatchQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

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
