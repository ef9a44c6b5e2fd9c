import { pageLimits, type EventRecord } from "@bowline/api";
import type { Client, EventQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption, parseCount, type OutputFormat } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument, toStreamedDocument } from "../output/to-document.ts";
import { EventTable } from "../resources/event-table.ts";
import { parseResources } from "../resources/resource.ts";

export function addEventsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("events")
    .usage("[KIND [NAME] | KIND/NAME] [FLAGS]")
    .description(
      "Show what happened to objects, the newest last. What happened again is counted, not repeated.",
    )
    .argument("[resource...]", "KIND, KIND NAME or KIND/NAME; without it, everything")
    .addOption(new Option("--type <TYPE>", "Only events of this type").choices(["Normal", "Warning"]))
    .option("--reason <REASON>", "Only events with this reason")
    .option("--cluster <NAME>", "Only what happened in this cluster")
    .option("--instance <NAME>", "Only what belongs to this workload instance, in all its clusters")
    .option("--limit <COUNT>", "Show no more than the newest ones", parseCount, 100)
    .option("-w, --watch", "Go on to show what happens", false)
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((args: string[], options: EventsOptions) => printEvents(context, args, options));
  addExamples(command, [
    { does: "What happened to a cluster", run: "bowline events cluster prod-eu-1" },
    { does: "What happened to a workload, in every cluster", run: "bowline events --instance web" },
    { does: "Follow everything that somebody should look at", run: "bowline events --type Warning --watch" },
  ]);
}

export interface EventsOptions {
  readonly type?: "Normal" | "Warning";
  readonly reason?: string;
  readonly cluster?: string;
  readonly instance?: string;
  readonly limit: number;
  readonly watch: boolean;
  readonly output: Exclude<OutputFormat, "name">;
  readonly headers: boolean;
}

/** Shows what happened, and with `--watch` what happens, until it is interrupted. */
export async function printEvents(
  context: CommandContext,
  args: readonly string[],
  options: EventsOptions,
): Promise<void> {
  const { limit, watch, type, reason, cluster, instance } = options;
  const query = { ...regarding(args), type, reason, cluster, instance };
  const { terminal, signal } = context;
  const client = await context.client();
  const print = eventPrinter(context, options);
  const show = async (events: readonly EventRecord[], whenNone: string): Promise<void> => {
    if (events.length > 0 || isDocument(options)) terminal.out(await print(events));
    else terminal.error(`${whenNone}\n`);
  };
  if (!watch) return show((await newestEvents(client, query, { limit, signal })).events, "No events found.");
  const onLost = (error: Error): void =>
    terminal.error(`Connecting again: ${printableLine(error.message)}\n`);
  for await (const events of followEvents(client, query, { limit, signal, onLost })) {
    await show(events, "No events so far.");
  }
}

function regarding(args: readonly string[]): Pick<EventQuery, "kind" | "name"> {
  if (args.length === 0) return {};
  const wanted = parseResources(args);
  const chosen =
    wanted.by === "name" ? wanted.resources : wanted.kinds.map((kind) => ({ kind, name: undefined }));
  const [only, ...others] = chosen;
  if (only !== undefined && others.length === 0) return { kind: only.kind.kind, name: only.name };
  throw new BowlineError("InvalidArgument", "Give one kind, or one object, or none of them for all events.");
}

function isDocument({ output, watch }: EventsOptions): boolean {
  return !watch && (output === "json" || output === "yaml");
}

type PrintEvents = (events: readonly EventRecord[]) => Promise<string>;

function eventPrinter({ clock, paint }: CommandContext, options: EventsOptions): PrintEvents {
  const { output, watch, headers } = options;
  if (output === "json" || output === "yaml") {
    if (!watch) return (items) => toDocument({ items }, output);
    return async (items) =>
      (await Promise.all(items.map((item) => toStreamedDocument(item, output)))).join("");
  }
  const table = new EventTable({ wide: output === "wide", noHeaders: !headers, paint });
  return async (events) => table.rows(events, clock.now());
}

interface FollowEventsOptions {
  /** How many of those that there are. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Told when the connection was lost; it is made again without anybody's help. */
  readonly onLost: (error: Error) => void;
}

interface NewestEvents {
  /** The newest last, as in a log. */
  readonly events: readonly EventRecord[];
  /** The revision that they are as new as. */
  readonly resourceVersion: string | undefined;
}

/** The newest events that there are. */
async function newestEvents(
  client: Client,
  query: EventQuery,
  { limit, signal }: Pick<FollowEventsOptions, "limit" | "signal">,
): Promise<NewestEvents> {
  const events: EventRecord[] = [];
  let resourceVersion: string | undefined;
  let cursor: string | undefined;
  do {
    const wanted = Math.min(limit - events.length, pageLimits.maximum);
    const page = await client.listEvents({ ...query, limit: wanted, cursor }, { signal });
    events.push(...page.items);
    resourceVersion ??= page.metadata.resourceVersion;
    ({ cursor } = page.metadata);
  } while (cursor !== undefined && events.length < limit);
  return { events: events.toReversed(), resourceVersion };
}

/** First the newest events that there are, which may be none, then each as it happens, or happens again. */
export async function* followEvents(
  client: Client,
  query: EventQuery,
  options: FollowEventsOptions,
): AsyncGenerator<readonly EventRecord[], void, undefined> {
  const { signal, onLost } = options;
  let last = "";
  for (let isFirst = true; ; isFirst = false) {
    const { events, resourceVersion } = await newestEvents(client, query, options);
    // People whose connection was away for too long are shown what is newer than the last thing they saw.
    const fresh = events.filter(({ lastSeenAt }) => lastSeenAt > last);
    if (isFirst || fresh.length > 0) yield fresh;
    last = fresh.at(-1)?.lastSeenAt ?? last;
    try {
      for await (const change of client.watchEvents(query, { since: resourceVersion, signal, onLost })) {
        // Records that are too old are swept away, which is nothing that happened to an object.
        if (change.type !== "ADDED" && change.type !== "MODIFIED") continue;
        yield [change.object];
        last = change.object.lastSeenAt;
      }
      return;
    } catch (thrown) {
      if (!(thrown instanceof BowlineError) || thrown.code !== "Expired") throw thrown;
    }
  }
}
