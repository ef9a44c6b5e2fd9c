import { hasCode, type BowlineError, type Clock, type Random } from "@bowline/core";
import { LogInformer, type Change, type Log } from "@bowline/store";

import { messageOf, type Broker, type BrokerMessage } from "./broker.ts";

export interface RelayOptions {
  readonly changes: Log<Change>;
  readonly broker: Pick<Broker, "publish" | "check">;
  /** The kinds that have a controller; changes of others are nobody's work. */
  readonly kinds: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  /** It goes on from a later place than it had got to: somebody has to look for what is not done. */
  readonly onSkip: () => void;
  readonly onPublished?: (count: number) => void;
  /** Told of every failure, all of which are tried again. Must not throw. */
  readonly onError?: (error: BowlineError) => void;
}

/** How far behind the log it is. */
export interface RelayLag {
  readonly changes: number;
  /** How long ago the first of them was made. */
  readonly ageMs: number;
}

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
  readonly #informer: LogInformer<Change>;

  constructor(options: RelayOptions) {
    const { changes, kinds, broker, onSkip } = options;
    this.#options = options;
    this.#informer = new LogInformer({
      ...options,
      log: changes,
      kinds,
      list: async (_, signal) => {
        await broker.check(signal);
        onSkip();
      },
      handle: (items) => this.#publish(items),
    });
  }

  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** Nothing before it has started. Rejects when the database cannot be asked. */
  async lag(): Promise<RelayLag> {
    const { changes: feed, kinds, clock } = this.#options;
    const { position } = this.#informer;
    if (position === undefined) return { changes: 0, ageMs: 0 };
    const behind = Math.max(0, (await feed.head()) - position);
    if (behind === 0) return { changes: 0, ageMs: 0 };
    try {
      const [first] = (await feed.read({ after: position, kinds, limit: 1 })).items;
      if (first === undefined) return { changes: 0, ageMs: 0 };
      return { changes: behind, ageMs: Math.max(0, clock.now() - first.atMs) };
    } catch (thrown) {
      if (hasCode(thrown, "Expired")) return { changes: behind, ageMs: Infinity };
      throw thrown;
    }
  }

  async #publish(changes: readonly Change[]): Promise<void> {
    const messages = messagesOf(changes);
    try {
      if (messages.length > 0) await this.#options.broker.publish(messages);
    } catch (thrown) {
      // Not sent again one by one: a broker that was away may have lost more than this, and the sweep finds it all.
      this.#informer.relist();
      throw thrown;
    }
    this.#options.onPublished?.(messages.length);
  }
}

/** One for each object that has work to do; what is gone has none. */
function messagesOf(changes: readonly Change[]): BrokerMessage[] {
  const latest = new Map<string, BrokerMessage>();
  for (const change of changes) {
    if (!change.desiredChanged || change.type === "DELETED") continue;
    const message = messageOf(change, String(change.revision));
    latest.set(message.key, message);
  }
  return [...latest.values()];
}
