import { BowlineError } from "@bowline/core";
import { pageLimits, type Kind } from "@bowline/api";
import type { Client, WatchQuery } from "@bowline/client";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import type { OutputOptions } from "../../command/shared-options.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { printObjects } from "../../resources/print-objects.ts";
import { getObjects, listObjects } from "../../resources/find-objects.ts";
import { parseResources, type ResourceArguments } from "../../resources/parse-resources.ts";
import type { FoundObject } from "../../resources/resource.ts";
import { refuseSelectorWithNames, selectQuery, type SelectOptions } from "../../resources/select-options.ts";
import { sortObjects } from "./sort-objects.ts";

export interface GetOptions extends OutputOptions, SelectOptions {
  readonly sortBy?: string;
  readonly limit?: number;
  readonly chunkSize?: number;
  readonly ignoreNotFound: boolean;
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly outputWatchEvents: boolean;
}

/** Shows what there is. */
export async function getAndPrint(
  context: CommandContext,
  args: readonly string[],
  options: GetOptions,
): Promise<void> {
  const wanted = parseResources(args);
  const { found, failures } = await find(context, wanted, options);
  if (found.length > 0 || (failures.length === 0 && isDocument(options) && !options.ignoreNotFound)) {
    const text = await printObjects(found, {
      ...options,
      nowMs: context.clock.now(),
      paint: context.paint,
      single: wanted.by === "name" && wanted.resources.length === 1,
      withKind: severalKinds(wanted),
    });
    context.terminal.out(text);
  }
  if (found.length === 0 && failures.length === 0 && !isDocument(options) && wanted.by === "kind") {
    context.terminal.error(`No ${wanted.kinds.length === 1 ? wanted.kinds[0]?.plural : "objects"} found.\n`);
  }
  for (const failure of failures) context.terminal.error(`error: ${printableLine(failure.message)}\n`);
  if (failures.length > 0) throw new CommandExit(1);
}

function isDocument({ output }: OutputOptions): boolean {
  return output === "json" || output === "yaml";
}

function severalKinds(wanted: ResourceArguments): boolean {
  if (wanted.by === "kind") return wanted.kinds.length > 1;
  return new Set(wanted.resources.map(({ kind }) => kind)).size > 1;
}

interface Found {
  readonly found: readonly FoundObject[];
  readonly failures: readonly BowlineError[];
}

async function find(context: CommandContext, wanted: ResourceArguments, options: GetOptions): Promise<Found> {
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    const { found, missing } = await getObjects(await context.client(), wanted.resources, context.signal);
    return { found: sorted(found, options), failures: options.ignoreNotFound ? [] : missing };
  }
  // Every selector is checked before the first request is made.
  const queries = wanted.kinds.map((kind) => selectQuery(kind, options));
  const client = await context.client();
  const found: FoundObject[] = [];
  for (const [index, kind] of wanted.kinds.entries()) {
    try {
      found.push(...(await listKind({ context, client, kind }, queries[index] ?? {}, options)));
    } catch (thrown) {
      if (!wanted.isEverything || !isForbidden(thrown)) throw thrown;
      context.terminal.error(`You may not list ${kind.plural}; they are left out.\n`);
    }
  }
  return { found, failures: [] };
}

interface ListTurn {
  readonly context: CommandContext;
  readonly client: Client;
  readonly kind: Kind;
}

async function listKind(
  { context, client, kind }: ListTurn,
  query: WatchQuery,
  options: GetOptions,
): Promise<readonly FoundObject[]> {
  // Sorting needs all of them, even to show only a few.
  const limit = options.sortBy === undefined ? options.limit : undefined;
  const pageSize = Math.min(options.chunkSize ?? pageLimits.maximum / 2, limit ?? pageLimits.maximum);
  const listed = await listObjects(client, kind, {
    query: { ...query, limit: Math.min(pageSize, pageLimits.maximum) },
    limit,
    signal: context.signal,
  });
  const shown = sorted(listed.objects, options).slice(0, options.limit);
  if (listed.total > shown.length) {
    context.terminal.error(`Showing ${shown.length} of ${listed.total} ${kind.plural}.\n`);
  }
  return shown;
}

function sorted(found: readonly FoundObject[], { sortBy }: GetOptions): readonly FoundObject[] {
  return sortBy === undefined ? found : sortObjects(found, sortBy);
}

function isForbidden(thrown: unknown): boolean {
  return thrown instanceof BowlineError && thrown.code === "Forbidden";
}
