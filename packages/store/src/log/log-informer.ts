import { Backoff, BowlineError, watchBackoff, type Clock, type Random } from "@bowline/core";

import type { Log, LogFollower } from "./log.ts";

export interface LogInformerOptions<Item> {
  readonly log: Pick<Log<Item>, "head" | "follow">;
  /** Names of kinds; all when not given. */
  readonly kinds?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Reads anew whatever is kept of the log's objects; everything after `revision` is handed on afterwards. Called at the
   * start, and whenever items were missed. When it fails, it is called again.
   */
  readonly list: (revision: number, signal: AbortSignal) => Promise<void> | void;
  /** Takes a batch, in order and one at a time. When it fails, the same items are handed on again. */
  readonly handle: (items: readonly Item[], position: number) => Promise<void> | void;
  /** Items were missed: until the next `list`, whatever is remembered may be wrong. */
  readonly onLost?: () => void;
  /** Called with every failure, all of which are tried again. Must not throw. */
  readonly onError?: (error: BowlineError) => void;
}

const retry = { ...watchBackoff, baseMs: 100, maxMs: 5_000 };

/**
 * Lists once and follows the log from there, for as long as it runs: what cannot be read is tried again with growing
 * delays, and what the log has forgotten in the meantime is listed anew.
 */
export class LogInformer<Item> {
  readonly #options: LogInformerOptions<Item>;
  readonly #closing = new AbortController();
  readonly #backoff: Backoff;
  readonly #waiters = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  #follower: LogFollower<Item> | undefined;
  /** Everything up to here was handed on when the last batch ended, or was listed. */
  #position: number | undefined;
  #isHandling = false;
  #mustList = true;
  #running: Promise<void> | undefined;

  constructor(options: LogInformerOptions<Item>) {
    this.#options = options;
    this.#backoff = new Backoff(retry, options.clock, options.random);
  }

  /** Everything up to here has been handed on or listed; undefined before the log was first asked. */
  get position(): number | undefined {
    return this.#isHandling ? this.#position : (this.#follower?.position ?? this.#position);
  }

  /** Whether what happens now arrives, as far as the log can be read. */
  get isFollowing(): boolean {
    return this.#follower !== undefined;
  }

  /** Lists, and follows from then on; rejects when the first list fails. `close` ends it. */
  async start(): Promise<void> {
    const { signal } = this.#closing;
    await this.#list(signal);
    this.#running = this.run(signal);
  }

  /** Lists and follows until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onLost, onError } = this.#options;
    while (!signal.aborted) {
      try {
        if (this.#mustList) await this.#list(signal);
        await this.#follow(signal);
      } catch (thrown) {
        if (signal.aborted) return;
        const error = BowlineError.from(thrown);
        if (error.code === "Expired") {
          this.#mustList = true;
          onLost?.();
        }
        onError?.(error);
        await clock.sleep(this.#backoff.nextDelayMs(), signal).catch(() => {});
      }
    }
  }

  /** Lists before it goes on, should `handle` have found that more was lost than it can take again. */
  relist(): void {
    this.#mustList = true;
  }

  /** Resolves to true when this revision has been handed on, or after `limitMs` to false. */
  async reached(revision: number, limitMs: number): Promise<boolean> {
    // Not the follower's position, which is ahead of what it has just handed out.
    if (revision <= (this.#position ?? -1)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { revision, resolve: () => resolve(true) };
    const cancel = this.#options.clock.after(limitMs, () => resolve(false));
    this.#waiters.add(waiter);
    try {
      return await promise;
    } finally {
      this.#waiters.delete(waiter);
      cancel();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#moveTo(Infinity);
    await this.#running;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const revision = await this.#options.log.head();
    // Known before the list succeeds, so that it can be told how far behind it is while it fails.
    this.#position ??= revision;
    await this.#options.list(revision, signal);
    this.#mustList = false;
    this.#moveTo(revision);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { log, kinds, handle } = this.#options;
    const follower = log.follow({ after: this.#position ?? 0, kinds, signal });
    this.#follower = follower;
    try {
      for await (const items of follower) {
        this.#isHandling = true;
        const { position } = follower;
        await handle(items, position);
        this.#isHandling = false;
        this.#backoff.reset();
        this.#moveTo(position);
      }
    } finally {
      this.#position = this.position;
      this.#isHandling = false;
      this.#follower = undefined;
    }
    if (!signal.aborted) throw new BowlineError("ServerUnavailable", "The server stops; watch again.");
  }

  #moveTo(revision: number): void {
    this.#position = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }
}
