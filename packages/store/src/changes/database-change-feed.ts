import { BowlineError, type Clock } from "@bowline/core";

import { parseRevision } from "../records/revision.ts";
import type { Change } from "./change.ts";
import type { ChangeBatch, ChangeFeed, ChangeFollower, ChangeQuery, FollowQuery } from "./change-feed.ts";
import type { ChangeLog } from "./change-log.ts";
import { RecentChanges } from "./recent-changes.ts";

export interface ChangeFeedOptions {
  readonly log: ChangeLog;
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
export class DatabaseChangeFeed implements ChangeFeed {
  readonly #log: ChangeLog;
  readonly #clock: Pick<Clock, "after">;
  readonly #pollMs: number;
  readonly #recent = new RecentChanges();
  readonly #sleepers = new Set<() => void>();
  #followers = 0;
  #isClosed = false;
  /** Settles when it is known where the log is; before that nothing recent is worth looking at. */
  #started: Promise<void> | undefined;
  #advancing: Promise<void> | undefined;
  #isStale = false;
  #cancelPoll = (): void => {};

  constructor({ log, clock, pollMs }: ChangeFeedOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  async resourceVersion(): Promise<string> {
    return String(await this.#log.head());
  }

  async read({ after, kinds, limit = defaultReadLimit }: ChangeQuery): Promise<ChangeBatch> {
    const bounded = Math.max(1, Math.min(limit, maxReadLimit));
    const page = await this.#log.read({ after: parseRevision(after), kinds, limit: bounded });
    return { changes: page.changes, resourceVersion: String(page.position) };
  }

  follow(query: FollowQuery): ChangeFollower {
    const state = { position: parseRevision(query.after) };
    return {
      get resourceVersion() {
        return String(state.position);
      },
      [Symbol.asyncIterator]: () => this.#follow(query, state),
    };
  }

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
  ): AsyncGenerator<readonly Change[]> {
    const wakeThis = (): void => this.#wakeSleepers();
    signal.addEventListener("abort", wakeThis);
    try {
      await this.#enter();
      while (!signal.aborted && !this.#isClosed) {
        const { changes, position } = await this.#next(state.position, kinds);
        if (position === state.position) {
          await this.#sleep(signal);
          continue;
        }
        state.position = position;
        const wanted =
          kinds === undefined ? changes : changes.filter((change) => kinds.includes(change.kind));
        if (wanted.length > 0) yield wanted;
      }
    } finally {
      signal.removeEventListener("abort", wakeThis);
      this.#leave();
    }
  }

  async #next(
    after: number,
    kinds: readonly string[] | undefined,
  ): Promise<{ readonly changes: readonly Change[]; readonly position: number }> {
    const recent = this.#recent.after(after);
    if (recent !== undefined) return { changes: recent, position: this.#recent.position };
    return this.#log.read({ after, kinds, limit: defaultReadLimit });
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
    this.#recent.restart(await this.#log.head());
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
        const { changes, position, head } = await this.#log.read({
          after: this.#recent.position,
          limit: defaultReadLimit,
        });
        this.#recent.append(changes, position);
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
      this.#recent.restart(await this.#log.head());
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
