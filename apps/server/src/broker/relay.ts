import {
  Backoff,
  BowlineError,
  hasCode,
  type Clock,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";

import type { ChangeFeed, ChangeFollower, Change } from "@bowline/store";
import type { Broker, BrokerMessage } from "./broker.ts";
import { messageOf } from "./message-of.ts";

export interface RelayOptions {
  readonly changes: ChangeFeed;
  readonly broker: Pick<Broker, "publish" | "check">;
  /** The kinds that have a controller; changes of others are nobody's work. */
  readonly kinds: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  /** It goes on from a later place than it had got to: somebody has to look for what is not done. */
  readonly onSkip: () => void;
  readonly onPublished?: (count: number) => void;
  /** What goes wrong, all of which is tried again. Must not throw. */
  readonly onError?: (error: BowlineError) => void;
}

/** How far behind the log it is. */
export interface RelayLag {
  readonly changes: number;
  /** How long ago the first of them was made. */
  readonly ageMs: number;
}

const relayBackoff: ResettingBackoffPolicy = {
  baseMs: 200,
  maxMs: 10_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 60_000,
};

/**
 * Follows the log of changes and tells the broker of every one that gives a controller something to do.
 *
 * Every replica relays, those changes first that it made itself and so sees at once; the broker drops what it is told
 * twice. Where it is in the log is kept in memory alone. At the start, after the broker was away, and when the log has
 * been cut, it goes on from the end of the log and asks for a sweep, which finds all that is not done by an index of
 * nothing else; a place kept in the database would be written for every change and make no start quicker.
 */
export class Relay {
  readonly #options: RelayOptions;
  /** Everything up to here had been published when it last stopped following, or began to publish. */
  #position: string | undefined;
  #follower: ChangeFollower | undefined;
  #isPublishing = false;
  #mustSkip = true;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, onError } = this.#options;
    const backoff = new Backoff(relayBackoff, clock, random);
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (thrown) {
        if (signal.aborted) return;
        onError?.(BowlineError.from(thrown));
        await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
      }
    }
  }

  /** Nothing before it has started. Rejects when the database cannot be asked. */
  async lag(): Promise<RelayLag> {
    const { changes: feed, kinds, clock } = this.#options;
    const position = this.#published();
    if (position === undefined) return { changes: 0, ageMs: 0 };
    const head = Number(await feed.resourceVersion());
    const behind = Math.max(0, head - Number(position));
    if (behind === 0) return { changes: 0, ageMs: 0 };
    try {
      const [first] = (await feed.read({ after: position, kinds, limit: 1 })).changes;
      if (first === undefined) return { changes: 0, ageMs: 0 };
      return { changes: behind, ageMs: Math.max(0, clock.now() - first.atMs) };
    } catch (thrown) {
      if (isExpired(thrown)) return { changes: behind, ageMs: Infinity };
      throw thrown;
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { changes: feed, kinds } = this.#options;
    const after = await this.#start(signal);
    this.#follower = feed.follow({ after, kinds, signal });
    try {
      for await (const changes of this.#follower) await this.#publish(changes);
    } catch (thrown) {
      if (isExpired(thrown)) this.#mustSkip = true;
      throw thrown;
    } finally {
      this.#position = this.#published();
      this.#isPublishing = false;
      this.#follower = undefined;
    }
  }

  /** The follower is ahead of what is published by what it has just handed out. */
  #published(): string | undefined {
    return this.#isPublishing ? this.#position : (this.#follower?.resourceVersion ?? this.#position);
  }

  async #start(signal: AbortSignal): Promise<string> {
    const { changes: feed, broker, onSkip } = this.#options;
    // Before the broker is asked, so that the lag is known while it is away.
    this.#position ??= await feed.resourceVersion();
    if (!this.#mustSkip) return this.#position;
    await broker.check(signal);
    this.#position = await feed.resourceVersion();
    this.#mustSkip = false;
    onSkip();
    return this.#position;
  }

  async #publish(changes: readonly Change[]): Promise<void> {
    const messages = messagesOf(changes);
    this.#isPublishing = true;
    try {
      if (messages.length > 0) await this.#options.broker.publish(messages);
    } catch (thrown) {
      // Not sent again one by one: a broker that was away may have lost more than this, and the sweep finds it all.
      this.#mustSkip = true;
      throw thrown;
    }
    this.#position = this.#follower?.resourceVersion;
    this.#isPublishing = false;
    this.#options.onPublished?.(messages.length);
  }
}

/** One for each object that has work to do; what is gone has none. */
function messagesOf(changes: readonly Change[]): BrokerMessage[] {
  const latest = new Map<string, BrokerMessage>();
  for (const change of changes) {
    if (!change.desiredChanged || change.type === "DELETED") continue;
    const message = messageOf(change, change.resourceVersion);
    latest.set(message.key, message);
  }
  return [...latest.values()];
}

function isExpired(thrown: unknown): boolean {
  return hasCode(thrown, "Expired");
}
