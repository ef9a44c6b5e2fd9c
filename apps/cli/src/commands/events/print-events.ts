import type { EventRecord } from "@bowline/api";
import type { EventQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import type { OutputFormat } from "../../command/shared-options.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument, toStreamedDocument } from "../../output/to-document.ts";
import { parseResources } from "../../resources/parse-resources.ts";
import { EventTable } from "./event-table.ts";
import { followEvents, newestEvents } from "./follow-events.ts";

export interface EventsOptions {
  readonly type?: "Normal" | "Warning";
  readonly reason?: string;
  readonly cluster?: string;
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
  const query = { ...regarding(args), type: options.type, reason: options.reason, cluster: options.cluster };
  const { limit, watch } = options;
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
