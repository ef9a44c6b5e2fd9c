import { BowlineError, hasCode } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { printableLine } from "../output/terminal-text.ts";
import { parseResources, resourceUsage, resourceName, type Resource } from "../resources/resource.ts";
import {
  addSelectOptions,
  refuseSelectorWithNames,
  selectedResources,
  type SelectOptions,
} from "../resources/select-options.ts";

export function addLabelCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("label")
    .description(
      "Set labels of objects, or take them out. Selectors of placements, grants and -l go by labels.",
    );
  addMetadataOptions(command).action((args: string[], options: MetadataOptions) =>
    changeMetadata(context, { name: "labels", done: "labeled" }, args, options),
  );
  addExamples(command, [
    { does: "Set one label and take out another", run: "bowline label cluster prod-eu-1 env=prod canary-" },
    {
      does: "Change a label of several clusters",
      run: "bowline label clusters -l env=stage env=prod --overwrite",
    },
  ]);
}

export function addAnnotateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("annotate")
    .description("Set annotations of objects, which are notes for people and programs, or take them out.");
  addMetadataOptions(command).action((args: string[], options: MetadataOptions) =>
    changeMetadata(context, { name: "annotations", done: "annotated" }, args, options),
  );
  addExamples(command, [
    { does: "Leave a note", run: 'bowline annotate cluster prod-eu-1 contact="team-a, phone 1234"' },
    { does: "Take it out again", run: "bowline annotate cluster prod-eu-1 contact-" },
  ]);
}

/** The flags that `label` and `annotate` have in common. */
function addMetadataOptions(command: Command): Command {
  command
    .usage(`${resourceUsage} KEY=VALUE... KEY-... [FLAGS]`)
    .argument("<arguments...>", "The objects, then KEY=VALUE to set a key and KEY- to take it out");
  return addSelectOptions(command)
    .option("--all", "Change every object of the kind", false)
    .option("--overwrite", "Replace values that are there already", false)
    .option("--dry-run", "Have the server check everything and write nothing", false);
}

interface MetadataOptions extends SelectOptions {
  readonly all: boolean;
  readonly overwrite: boolean;
  readonly dryRun: boolean;
}

/** The two maps of an object that commands change key by key, and what it is called when one has done so. */
interface MetadataField {
  readonly name: "labels" | "annotations";
  readonly done: string;
}

/** A controller may write the status between reading and writing, but hardly each time. */
const maxAttempts = 5;

async function changeMetadata(
  context: CommandContext,
  field: MetadataField,
  args: readonly string[],
  options: MetadataOptions,
): Promise<void> {
  const { resources, changes } = parseMetadataArguments(args);
  for (const target of await targetsOf(context, resources, options)) {
    const isChanged = await changeOne(context, target, { field, changes, options });
    const outcome = isChanged ? `${field.done}${options.dryRun ? " (dry run)" : ""}` : "unchanged";
    context.terminal.out(`${resourceName(target)} ${outcome}\n`);
  }
}

async function targetsOf(
  context: CommandContext,
  args: readonly string[],
  options: MetadataOptions,
): Promise<readonly Resource[]> {
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    return wanted.resources;
  }
  return selectedResources(context, wanted.kinds, options);
}

interface Change {
  readonly field: MetadataField;
  readonly changes: MetadataChanges;
  readonly options: MetadataOptions;
}

/** Whether there was anything to change. Written only on top of what was looked at, so that nothing is lost unseen. */
async function changeOne(context: CommandContext, target: Resource, change: Change): Promise<boolean> {
  const { kind, name } = target;
  const { field, options } = change;
  const { signal } = context;
  const client = await context.client();
  for (let attempt = 1; ; attempt += 1) {
    const { metadata } = await client.get(kind, name, { signal });
    const current = metadata[field.name];
    const [overwritten] = overwrittenKeys(change.changes, current);
    if (overwritten !== undefined && !options.overwrite) throw hasValue(target, overwritten);
    const changes = effectiveChanges(change.changes, current);
    if (Object.keys(changes).length === 0) return false;
    const patch = { metadata: { [field.name]: changes } };
    try {
      await client.patch(kind, name, patch, {
        ifMatch: metadata.resourceVersion,
        dryRun: options.dryRun,
        signal,
      });
      return true;
    } catch (thrown) {
      if (!isConflict(thrown) || attempt === maxAttempts) throw thrown;
    }
  }
}

function hasValue(target: Resource, key: string): BowlineError {
  return new BowlineError(
    "Conflict",
    `${resourceName(target)} has another value for ${key} already; use --overwrite to replace it.`,
  );
}

function isConflict(thrown: unknown): boolean {
  return hasCode(thrown, "Conflict", "PreconditionFailed");
}

/** New values by key; null takes the key out. */
type MetadataChanges = Readonly<Record<string, string | null>>;

interface MetadataArguments {
  /** The arguments that name objects. */
  readonly resources: readonly string[];
  readonly changes: MetadataChanges;
}

/** Splits `cluster a b env=prod tier-`: no name of an object has an equals sign, or a hyphen at its end. */
export function parseMetadataArguments(args: readonly string[]): MetadataArguments {
  const isChange = (argument: string): boolean => argument.includes("=") || argument.endsWith("-");
  const changes = new Map<string, string | null>();
  for (const argument of args.filter(isChange)) {
    const equals = argument.indexOf("=");
    const key = equals === -1 ? argument.slice(0, -1) : argument.slice(0, equals);
    if (key === "" || changes.has(key)) {
      const problem = key === "" ? "has no key" : "changes a key that another argument changes too";
      throw new BowlineError("InvalidArgument", `«${printableLine(argument.slice(0, 64))}» ${problem}.`);
    }
    changes.set(key, equals === -1 ? null : argument.slice(equals + 1));
  }
  if (changes.size === 0) {
    throw new BowlineError(
      "InvalidArgument",
      "Say what to change: KEY=VALUE to set a key, KEY- to take it out.",
    );
  }
  return { resources: args.filter((argument) => !isChange(argument)), changes: Object.fromEntries(changes) };
}

/** The part of the changes that makes a difference to these labels or annotations. */
export function effectiveChanges(
  changes: MetadataChanges,
  current: Readonly<Record<string, string>>,
): MetadataChanges {
  return Object.fromEntries(
    Object.entries(changes).filter(([key, value]) => (currentValue(current, key) ?? null) !== value),
  );
}

/** Keys that have another value already. */
export function overwrittenKeys(
  changes: MetadataChanges,
  current: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(changes)
    .filter(([key, value]) => value !== null && ![undefined, value].includes(currentValue(current, key)))
    .map(([key]) => key);
}

function currentValue(current: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(current, key) ? current[key] : undefined;
}
