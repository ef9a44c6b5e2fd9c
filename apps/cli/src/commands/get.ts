import { fieldsOf, pageLimits, parseFieldPath, valuesAt, type Kind } from "@bowline/api";
import type { Client, WatchQuery } from "@bowline/client";
import { BowlineError, closest, hasCode } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit } from "../command/failure.ts";
import { noHeadersOption, outputOption, parseCount, type OutputOptions } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { getObjects, listObjects } from "../resources/find-objects.ts";
import {
  parseResources,
  resourceUsage,
  type ResourceArguments,
  type FoundObject,
} from "../resources/resource.ts";
import { printObjects } from "../resources/print-objects.ts";
import {
  addSelectOptions,
  refuseSelectorWithNames,
  selectQuery,
  type SelectOptions,
} from "../resources/select-options.ts";
import { watchAndPrint } from "./get-watch.ts";

export function addGetCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("get")
    .usage(`${resourceUsage} [FLAGS]`)
    .description(
      "Show objects: all of a kind, of several kinds separated by commas, of all kinds, or by name.",
    )
    .argument("[resources...]", "KIND, KIND NAME, KIND/NAME, KIND,KIND or all");
  addSelectOptions(command)
    .addOption(outputOption(["table", "wide", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .option("--show-labels", "Add a column with the labels", false)
    .option("--sort-by <FIELD>", "Sort by a field, e.g. metadata.createdAt")
    .option("--limit <COUNT>", "Show no more objects of a kind than this", parseCount)
    .option("--chunk-size <COUNT>", "Ask the server for as many objects at a time", parseCount)
    .option("--ignore-not-found", "Do not mind names that do not exist", false)
    .option("-w, --watch", "Go on to show what changes", false)
    .option("--watch-only", "Show only what changes, without what is there", false)
    .option("--output-watch-events", "Say of each change whether it is ADDED, MODIFIED or DELETED", false)
    .action((args: string[], options: GetOptions) =>
      options.watch || options.watchOnly
        ? watchAndPrint(context, args, options)
        : getAndPrint(context, args, options),
    );
  addExamples(command, [
    { does: "List clusters, with every column", run: "bowline get clusters -o wide" },
    {
      does: "What is not ready, of two kinds",
      run: "bowline get cl,wi --field-selector status.conditions.Ready=False",
    },
    { does: "Watch the instances of production", run: "bowline get workloadinstances -l env=prod --watch" },
    {
      does: "Keep everything in a file that apply accepts",
      run: "bowline get all -o yaml > everything.yaml",
    },
    { does: "One object as JSON", run: "bowline get cluster/prod-eu-1 -o json" },
  ]);
}

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

interface KindRequest {
  readonly context: CommandContext;
  readonly client: Client;
  readonly kind: Kind;
}

async function listKind(
  { context, client, kind }: KindRequest,
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
  return hasCode(thrown, "Forbidden");
}

/** Objects by the value of a field, those without it first; what is equal stays in order. */
export function sortObjects(found: readonly FoundObject[], field: string): FoundObject[] {
  // As people write it for kubectl: {.metadata.name}
  const path = field.replaceAll(/^\{|\}$/gu, "").replace(/^\./u, "");
  for (const kind of new Set(found.map((item) => item.kind))) requireField(kind, path);
  const parsed = parseFieldPath(path);
  const keyed = found.map((item) => ({ item, key: valuesAt(parsed, item.object)[0] }));
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Maps take any key, and conditions are found by their type, so only what comes before those can be checked. */
function requireField(kind: Kind, path: string): void {
  const fields = fieldsOf(kind.schemas.read).map((known) => known.path.replaceAll("[]", ""));
  const plain = path
    .replaceAll("[]", "")
    .replace(/^(metadata\.(?:labels|annotations)|status\.conditions)\..*$/u, "$1");
  if (fields.some((known) => known === plain)) return;
  const parent = fields.find(
    (known) => plain.startsWith(`${known}.`) && !fields.some((other) => other.startsWith(`${known}.`)),
  );
  if (parent !== undefined) return;
  const meant = closest(plain, fields);
  const hint = meant === undefined ? "." : `; did you mean «${meant}»?`;
  throw new BowlineError("InvalidArgument", `A ${kind.kind} has no field «${path.slice(0, 64)}»${hint}`);
}
