import { pageLimits, type EventRecord } from "@bowline/api";
import type { Client, EventQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";

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
  /** What they are as new as. */
  readonly resourceVersion: string | undefined;
}

/** The newest events that there are. */
export async function newestEvents(
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
    // Whoever was away for too long is shown what is newer than the last thing they saw.
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
