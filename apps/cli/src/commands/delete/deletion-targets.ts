import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { manifestsFrom } from "../../manifests/manifest-options.ts";
import { listObjects } from "../../resources/find-objects.ts";
import { parseResources } from "../../resources/parse-resources.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import { hasSelector, refuseSelectorWithNames, selectQuery } from "../../resources/select-options.ts";
import type { DeleteOptions } from "./delete-all.ts";

/** How many names a question shows. */
const maxNamesAsked = 10;

/** The objects that a command line means. What it does not name one by one, somebody at a terminal has to confirm. */
export async function deletionTargets(
  context: CommandContext,
  args: readonly string[],
  options: DeleteOptions,
): Promise<readonly Resource[]> {
  if (options.filename !== undefined) {
    if (args.length > 0 || options.all || hasSelector(options)) throw either();
    return manifestsFrom(context, { ...options, filename: options.filename });
  }
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    if (options.all) throw either();
    return wanted.resources;
  }
  if (options.all === hasSelector(options)) {
    throw new BowlineError("InvalidArgument", "Say which objects: by name, with -l, or --all of them.");
  }
  const queries = wanted.kinds.map((kind) => ({ kind, query: selectQuery(kind, options) }));
  const client = await context.client();
  const targets: Resource[] = [];
  for (const { kind, query } of queries) {
    const { objects } = await listObjects(client, kind, { query, signal: context.signal });
    for (const { object } of objects) targets.push({ kind, name: object.metadata.name });
  }
  if (targets.length === 0) context.terminal.error("No objects found.\n");
  else await confirm(context, targets, options);
  return targets;
}

function either(): BowlineError {
  return new BowlineError("InvalidArgument", "Give names, or -f, or -l, or --all: one of them, not several.");
}

/** A script that says -l or --all means it; a person may have forgotten half of the label. */
async function confirm(
  { terminal, signal }: CommandContext,
  targets: readonly Resource[],
  { yes, dryRun }: DeleteOptions,
): Promise<void> {
  if (yes || dryRun || !terminal.canAsk) return;
  const names = targets.slice(0, maxNamesAsked).map(resourceName);
  const more = targets.length > names.length ? ` and ${targets.length - names.length} more` : "";
  const answer = await terminal.ask(`Delete ${names.join(", ")}${more}? [y/N] `, { signal });
  if (/^y(es)?$/iu.test(answer.trim())) return;
  terminal.error("Nothing was deleted.\n");
  throw new CommandExit(1);
}
