import type { Kind } from "@bowline/api";
import type { WatchQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toStreamedDocument } from "../output/to-document.ts";
import { followObjects, type ObjectChange } from "../resources/follow-objects.ts";
import { parseResources, resourceName } from "../resources/resource.ts";
import { ObjectTable } from "../resources/print-objects.ts";
import { refuseSelectorWithNames, selectQuery } from "../resources/select-options.ts";
import type { GetOptions } from "./get.ts";

/** Shows what there is, unless told not to, and then every change, until it is interrupted. */
export async function watchAndPrint(
  context: CommandContext,
  args: readonly string[],
  options: GetOptions,
): Promise<void> {
  const { kind, query } = watchedObjects(args, options);
  const client = await context.client();
  const print = changePrinter(context, kind, options);
  const followed = followObjects(client, kind, {
    query,
    signal: context.signal,
    onLost: (error) => context.terminal.error(`Connecting again: ${printableLine(error.message)}\n`),
  });
  for await (const { isInitial, changes } of followed) {
    if (isInitial && options.watchOnly) continue;
    if (changes.length > 0) context.terminal.out(await print(changes));
    else if (isInitial) context.terminal.error(`No ${kind.plural} found so far.\n`);
  }
}

interface Watched {
  readonly kind: Kind;
  readonly query: WatchQuery;
}

/** Rows of several kinds in turns would be hard to read, and of several names the server cannot be asked for at once. */
function watchedObjects(args: readonly string[], options: GetOptions): Watched {
  const wanted = parseResources(args);
  if (options.limit !== undefined || options.sortBy !== undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "A watch shows changes as they come: leave out --limit and --sort-by.",
    );
  }
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    const [only, ...others] = wanted.resources;
    if (only === undefined || others.length > 0) throw oneOnly("object by name");
    return { kind: only.kind, query: { fieldSelector: `metadata.name=${only.name}` } };
  }
  const [kind, ...others] = wanted.kinds;
  if (kind === undefined || others.length > 0) throw oneOnly("kind");
  return { kind, query: selectQuery(kind, options) };
}

function oneOnly(what: string): BowlineError {
  return new BowlineError("InvalidArgument", `Only one ${what} can be watched at a time.`);
}

type PrintChanges = (changes: readonly ObjectChange[]) => Promise<string>;

function changePrinter(context: CommandContext, kind: Kind, options: GetOptions): PrintChanges {
  const { output, outputWatchEvents } = options;
  if (output === "json" || output === "yaml") {
    const documents = (changes: readonly ObjectChange[]): Promise<string[]> =>
      Promise.all(
        changes.map((change) => toStreamedDocument(outputWatchEvents ? change : change.object, output)),
      );
    return async (changes) => (await documents(changes)).join("");
  }
  if (output === "name") {
    return async (changes) =>
      changes.map(({ object }) => `${resourceName({ kind, name: object.metadata.name })}\n`).join("");
  }
  const table = new ObjectTable(kind, {
    wide: output === "wide",
    noHeaders: !options.headers,
    showLabels: options.showLabels,
    withKind: false,
    withEvent: outputWatchEvents,
    paint: context.paint,
  });
  return async (changes) => table.rows(changes, context.clock.now());
}
