import { Token, User } from "@bowline/api";
import { Backoff, hasCode, watchBackoff, type Clock, type Random } from "@bowline/core";

import type { Change, ChangeFeed, ChangeFollower } from "@bowline/store";

export interface AccountChangesOptions {
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for every change of a User or a Token, in order. */
  readonly onChange: (change: Change) => void;
  /** Changes may have been missed: whatever is remembered may be wrong. */
  readonly onLost: () => void;
}

/** How often to make sure that the changes really arrive, and for how long that is believed. */
const verifyIntervalMs = 5_000;
const trustMs = 30_000;
const retry = { ...watchBackoff, baseMs: 100, maxMs: 5_000 };

/**
 * Follows the changes of Users and Tokens.
 *
 * That no change arrives may mean that there is none, or that the database cannot be reached. So it asks from time to
 * time for the number of the last change there is, and `isTrusted` while it has got that far.
 */
export class AccountChanges {
  readonly #options: AccountChangesOptions;
  readonly #closing = new AbortController();
  readonly #waiters = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  readonly #backoff: Backoff;
  #follower: ChangeFollower | undefined;
  /** Everything up to here has been handed on; undefined when it is not known where to go on. */
  #position: number | undefined;
  #isTrusted = false;
  #cancelDistrust = (): void => {};
  #cancelVerify = (): void => {};
  #running: Promise<void> | undefined;

  constructor(options: AccountChangesOptions) {
    this.#options = options;
    this.#backoff = new Backoff(retry, options.clock, options.random);
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Resolves when nothing that happens from now on is missed. Rejects when the database does not answer. */
  async start(): Promise<void> {
    await this.#begin();
    this.#trust();
    this.#running = this.#follow();
    this.#armVerify();
  }

  /** Resolves when the change of this number has been handed on, or after `limitMs` with false. */
  async reached(resourceVersion: string, limitMs: number): Promise<boolean> {
    const revision = Number(resourceVersion);
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
    this.#cancelVerify();
    this.#distrust();
    this.#moveTo(Infinity);
    await this.#running;
  }

  /** Goes on from the last change there is; those before it count as missed. */
  async #begin(): Promise<void> {
    const head = Number(await this.#options.changes.resourceVersion());
    this.#options.onLost();
    this.#moveTo(head);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#position === undefined) await this.#begin();
        await this.#followOnce(signal);
      } catch (error) {
        if (hasCode(error, "Expired")) this.#position = undefined;
      }
      this.#follower = undefined;
      await this.#pause(signal);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const kinds = [User.kind, Token.kind];
    this.#follower = this.#options.changes.follow({ after: String(this.#position), kinds, signal });
    for await (const changes of this.#follower) {
      this.#backoff.reset();
      for (const change of changes) this.#options.onChange(change);
      this.#moveTo(changes.at(-1)?.revision ?? 0);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(this.#backoff.nextDelayMs(), signal);
    } catch {
      // Closed.
    }
  }

  #moveTo(revision: number): void {
    this.#position = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }

  #armVerify(): void {
    this.#cancelVerify = this.#options.clock.after(verifyIntervalMs, () => void this.#verify());
  }

  async #verify(): Promise<void> {
    const { changes, clock } = this.#options;
    try {
      const head = Number(await changes.resourceVersion());
      // Looked at once more at the end of the interval: what was written a moment ago may still be on its way.
      this.#cancelVerify = clock.after(verifyIntervalMs, () => {
        if (Number(this.#follower?.resourceVersion ?? -1) >= head) this.#trust();
        void this.#verify();
      });
    } catch {
      this.#armVerify();
    }
    if (this.#closing.signal.aborted) this.#cancelVerify();
  }

  #trust(): void {
    this.#isTrusted = true;
    this.#cancelDistrust();
    this.#cancelDistrust = this.#options.clock.after(trustMs, () => this.#distrust());
  }

  #distrust(): void {
    this.#isTrusted = false;
    this.#cancelDistrust();
    this.#options.onLost();
  }
}
