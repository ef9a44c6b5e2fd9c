import { hasCode, type BowlineError, type Clock, type Random } from "@bowline/core";
import { LogInformer, type Change, type Log } from "@bowline/store";

import { messageOf, type Broker, type BrokerMessage } from "./broker.ts";

/** A kind whose changes give work to the controller of another kind, or of its own. */
export interface RelayWatch {
  /** The kind to follow. */
  readonly kind: string;
  /** The kind whose controller it is for. */
  readonly controller: string;
  /**
   * Names of the controller's objects that a change, of whatever sort, has to do with. `batch` are the changes that it
   * is asked about one after the other: it may be a key to what was read for all of them. What it throws is tried again.
   */
  namesOf(change: Change, batch: readonly Change[]): Promise<readonly string[]> | readonly string[];
}

export interface RelayOptions {
  readonly changes: Log<Change>;
  readonly broker: Pick<Broker, "publish" | "check">;
  /** The kinds that have a controller; changes of others are nobody's work, unless somebody watches them. */
  readonly kinds: readonly string[];
  readonly watches?: readonly RelayWatch[];
  readonly clock: Clock;
  readonly random: Random;
  /**
   * It goes on from a later place than it had got to: somebody has to look for what is not done, and at everything that
   * has to do with objects of other kinds, which may have changed.
   */
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
 * Follows the log of changes and tells the broker of every one that gives a controller something to do: a new
 * generation of an object of its own, or any change of a kind that it watches.
 *
 * Every replica relays, those changes first that it made itself and so sees at once; the broker drops what it is told
 * twice. Where it is in the log is kept in memory alone. At the start, after the broker was away, and when the log has
 * been cut, it goes on from the end of the log and asks for a sweep, which finds all that is not done by an index of
 * nothing else, and offers all objects of controllers that watch others; a place kept in the database would be written
 * for every change and make no start quicker.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #informer: LogInformer<Change>;
  readonly #watches: readonly RelayWatch[];
  /** Everything that is followed. */
  readonly #kinds: readonly string[];

  constructor(options: RelayOptions) {
    const { changes, kinds, watches = [], broker, onSkip } = options;
    this.#options = options;
    this.#watches = watches;
    this.#kinds = [...new Set([...kinds, ...watches.map(({ kind }) => kind)])];
    this.#informer = new LogInformer({
      ...options,
      log: changes,
      kinds: this.#kinds,
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
    const { changes: feed, clock } = this.#options;
    const kinds = this.#kinds;
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

  /** Own changes first: a watch that fails does not hold them up. Whoever is told twice of one looks once. */
  async #publish(changes: readonly Change[]): Promise<void> {
    const { kinds } = this.#options;
    await this.#send(messagesOf(changes.filter(({ kind }) => kinds.includes(kind))));
    await this.#send(await this.#watchMessages(changes));
  }

  async #send(messages: readonly BrokerMessage[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await this.#options.broker.publish(messages);
    } catch (thrown) {
      // Not sent again one by one: a broker that was away may have lost more than this, and the sweep finds it all.
      this.#informer.relist();
      throw thrown;
    }
    this.#options.onPublished?.(messages.length);
  }

  /** One for each object that somebody's watch names, with an id that follows from the change: all replicas say the same. */
  async #watchMessages(changes: readonly Change[]): Promise<BrokerMessage[]> {
    const latest = new Map<string, BrokerMessage>();
    for (const change of changes) {
      for (const watch of this.#watches) {
        if (watch.kind !== change.kind) continue;
        for (const name of await watch.namesOf(change, changes)) {
          const message = messageOf({ kind: watch.controller, name, generation: 0 }, String(change.revision));
          latest.set(message.key, message);
        }
      }
    }
    return [...latest.values()];
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
