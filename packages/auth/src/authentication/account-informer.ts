import { Session, Token, User } from "@bowline/api";
import type { Clock, Random } from "@bowline/core";
import { LogInformer, type Change, type Log } from "@bowline/store";

export interface AccountInformerOptions {
  readonly changes: Pick<Log<Change>, "head" | "follow">;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for every change of a User, a Token or a Session, in order. */
  readonly onChange: (change: Change) => void;
  /** Changes may have been missed: whatever is remembered may be wrong. */
  readonly onLost: () => void;
}

/** How often to make sure that the changes really arrive, and for how long that is believed. */
const verifyIntervalMs = 5_000;
const trustMs = 30_000;

/**
 * Follows the changes of Users, Tokens and Sessions.
 *
 * That no change arrives may mean that there is none, or that the database cannot be reached. So it asks from time to
 * time for the number of the last change there is, and `isTrusted` while it has got that far.
 */
export class AccountInformer {
  readonly #options: AccountInformerOptions;
  readonly #informer: LogInformer<Change>;
  #isClosed = false;
  #isTrusted = false;
  #cancelDistrust = (): void => {};
  #cancelVerify = (): void => {};

  constructor(options: AccountInformerOptions) {
    const { changes, clock, random } = options;
    this.#options = options;
    this.#informer = new LogInformer({
      log: changes,
      clock,
      random,
      kinds: [User.kind, Token.kind, Session.kind],
      list: () => options.onLost(),
      handle: (changes) => {
        for (const change of changes) options.onChange(change);
      },
    });
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Resolves when nothing that happens from now on is missed. Rejects when the database does not answer. */
  async start(): Promise<void> {
    await this.#informer.start();
    this.#trust();
    this.#armVerify();
  }

  /** Resolves when the change of this number has been handed on, or after `limitMs` with false. */
  reached(revision: number, limitMs: number): Promise<boolean> {
    return this.#informer.reached(revision, limitMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelVerify();
    this.#distrust();
    await this.#informer.close();
  }

  #armVerify(): void {
    this.#cancelVerify = this.#options.clock.after(verifyIntervalMs, () => void this.#verify());
  }

  async #verify(): Promise<void> {
    const { changes, clock } = this.#options;
    try {
      const head = await changes.head();
      // Looked at once more at the end of the interval: what was written a moment ago may still be on its way.
      this.#cancelVerify = clock.after(verifyIntervalMs, () => {
        const { isFollowing, position = -1 } = this.#informer;
        if (isFollowing && position >= head) this.#trust();
        void this.#verify();
      });
    } catch {
      this.#armVerify();
    }
    if (this.#isClosed) this.#cancelVerify();
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
