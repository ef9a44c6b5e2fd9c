import { BowlineError, type Clock } from "@bowline/core";

import type { FollowQuery, Log, LogFollower, LogItem, LogPage, LogQuery } from "./log.ts";
import { RecentItems } from "./recent-items.ts";

export type TableQuery = LogQuery & { readonly limit: number };

export interface TablePage<Item> extends LogPage<Item> {
  /** The number of the last item there was. */
  readonly head: number;
}

/** The table that a log is kept in. */
export interface LogTable<Item> {
  head(): Promise<number>;
  /** `Expired` when some of what is asked for is not kept any more. */
  read(query: TableQuery): Promise<TablePage<Item>>;
}

export interface LogFeedOptions<Item> {
  readonly table: LogTable<Item>;
  readonly clock: Pick<Clock, "after">;
  /** How often to look for what other replicas wrote, while somebody follows. */
  readonly pollMs: number;
}

const defaultReadLimit = 500;
const maxReadLimit = 5_000;

/**
 * One reader of the log for all who follow it in this process. It looks when this process has committed, when it is
 * woken, and at an interval. A follower that is slow or far behind reads the database for itself until it has caught
 * up, so it costs no memory and holds nobody up.
 */
export class LogFeed<Item extends LogItem> implements Log<Item> {
  readonly #table: LogTable<Item>;
  readonly #clock: Pick<Clock, "after">;
  readonly #pollMs: number;
  readonly #recent = new RecentItems<Item>();
  readonly #sleepers = new Set<() => void>();
  #followers = 0;
  #isClosed = false;
  /** Settles when it is known where the log is; before that nothing recent is worth looking at. */
  #started: Promise<void> | undefined;
  #advancing: Promise<void> | undefined;
  #isStale = false;
  #cancelPoll = (): void => {};

  constructor({ table, clock, pollMs }: LogFeedOptions<Item>) {
    this.#table = table;
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  head(): Promise<number> {
    return this.#table.head();
  }

  async read({ after, kinds, limit = defaultReadLimit }: LogQuery): Promise<LogPage<Item>> {
    const bounded = Math.max(1, Math.min(limit, maxReadLimit));
    const { items, position } = await this.#table.read({ after, kinds, limit: bounded });
    return { items, position };
  }

  follow(query: FollowQuery): LogFollower<Item> {
    const state = { position: query.after };
    return {
      get position() {
        return state.position;
      },
      [Symbol.asyncIterator]: () => this.#follow(query, state),
    };
  }

  /** Looks now, not at the next interval: this process or another replica has written. */
  wake(): void {
    if (this.#followers === 0 || this.#isClosed) return;
    this.#isStale = true;
    this.#advancing ??= this.#advance().finally(() => (this.#advancing = undefined));
  }

  /** Ends every follower; resolves when nothing reads any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    this.#wakeSleepers();
    await this.#advancing;
  }

  async *#follow(
    { kinds, signal }: FollowQuery,
    state: { position: number },
  ): AsyncGenerator<readonly Item[]> {
    const wakeThis = (): void => this.#wakeSleepers();
    signal.addEventListener("abort", wakeThis);
    try {
      await this.#enter();
      while (!signal.aborted && !this.#isClosed) {
        const { items, position } = await this.#next(state.position, kinds);
        if (position === state.position) {
          await this.#sleep(signal);
          continue;
        }
        state.position = position;
        const wanted = kinds === undefined ? items : items.filter(({ kind }) => kinds.includes(kind));
        if (wanted.length > 0) yield wanted;
      }
    } finally {
      signal.removeEventListener("abort", wakeThis);
      this.#leave();
    }
  }

  async #next(after: number, kinds: readonly string[] | undefined): Promise<LogPage<Item>> {
    const recent = this.#recent.after(after);
    if (recent !== undefined) return { items: recent, position: this.#recent.position };
    return this.#table.read({ after, kinds, limit: defaultReadLimit });
  }

  async #enter(): Promise<void> {
    this.#followers += 1;
    if (this.#followers === 1) {
      this.#armPoll();
      this.#started = this.#start();
    }
    await this.#started;
  }

  async #start(): Promise<void> {
    this.#recent.restart(await this.#table.head());
  }

  #leave(): void {
    this.#followers -= 1;
    if (this.#followers === 0) this.#cancelPoll();
  }

  #armPoll(): void {
    this.#cancelPoll = this.#clock.after(this.#pollMs, () => {
      this.wake();
      this.#armPoll();
    });
  }

  async #advance(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        await this.#started;
        const { items, position, head } = await this.#table.read({
          after: this.#recent.position,
          limit: defaultReadLimit,
        });
        this.#recent.append(items, position);
        if (position < head) this.#isStale = true;
      } catch (error) {
        // A database that cannot be reached is asked again at the next interval.
        if (!(error instanceof BowlineError) || error.code !== "Expired") return;
        await this.#restart();
      }
      this.#wakeSleepers();
    }
  }

  /** The log was cut, or replaced by an older one: those who follow find out when they read for themselves. */
  async #restart(): Promise<void> {
    try {
      this.#recent.restart(await this.#table.head());
    } catch {
      // Tried again at the next interval.
    }
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sleepers.add(resolve);
    await promise;
  }

  #wakeSleepers(): void {
    for (const wakeUp of this.#sleepers) wakeUp();
    this.#sleepers.clear();
  }
}
