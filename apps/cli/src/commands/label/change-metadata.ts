import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { listObjects } from "../../resources/find-objects.ts";
import { parseResources } from "../../resources/parse-resources.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import {
  hasSelector,
  refuseSelectorWithNames,
  selectQuery,
  type SelectOptions,
} from "../../resources/select-options.ts";
import {
  effectiveChanges,
  overwrittenKeys,
  parseMetadataArguments,
  type MetadataChanges,
} from "./metadata-changes.ts";

export interface MetadataOptions extends SelectOptions {
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

export async function changeMetadata(
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
  { client, signal }: CommandContext,
  args: readonly string[],
  options: MetadataOptions,
): Promise<readonly Resource[]> {
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    return wanted.resources;
  }
  if (options.all === hasSelector(options)) {
    throw new BowlineError("InvalidArgument", "Say which objects: by name, with -l, or --all of them.");
  }
  const queries = wanted.kinds.map((kind) => ({ kind, query: selectQuery(kind, options) }));
  const targets: Resource[] = [];
  for (const { kind, query } of queries) {
    const { objects } = await listObjects(await client(), kind, { query, signal });
    for (const { object } of objects) targets.push({ kind, name: object.metadata.name });
  }
  return targets;
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
  return (
    thrown instanceof BowlineError && (thrown.code === "Conflict" || thrown.code === "PreconditionFailed")
  );
}
