import { BowlineError, TransientSet, type Clock } from "@bowline/core";

import type { Access, Identity } from "@bowline/auth";
import type { AdmittedRequest } from "../admission/admit-request.ts";
import type { ProxiedRequest } from "./proxied-request.ts";

export interface OpenRequestsOptions {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly access: Pick<Access, "ended">;
}

/** Requests under way, by how long they may last. */
export interface OpenCounts {
  readonly requests: number;
  readonly streams: number;
  readonly upgrades: number;
}

/** One timer for all of them costs less than one for each; how late it may be does not matter. */
const checkIntervalMs = 1_000;

/** The requests under way: ends those that take too long, or that nobody may have any more. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  readonly #open = new TransientSet<ProxiedRequest>();
  /** Identities whose end is listened for: as many listeners as identities, not as requests. */
  readonly #watched = new WeakSet<Identity>();
  readonly #closed = Promise.withResolvers<void>();
  #cancelCheck: (() => void) | undefined;
  #isClosing = false;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get open(): OpenCounts {
    let [streams, upgrades] = [0, 0];
    for (const { admitted } of this.#open) {
      if (admitted.upgrade !== undefined) upgrades += 1;
      else if (admitted.request.isStream) streams += 1;
    }
    return { requests: this.#open.size - streams - upgrades, streams, upgrades };
  }

  add(proxied: ProxiedRequest): void {
    this.#open.add(proxied);
    this.#watch(proxied.admitted.identity);
    this.#cancelCheck ??= this.#armCheck();
  }

  remove(proxied: ProxiedRequest): void {
    this.#open.delete(proxied);
    if (this.#isClosing && this.#open.size === 0) this.#closed.resolve();
  }

  /** Ends requests that are not granted any more. */
  endWhere(isLost: (admitted: AdmittedRequest) => boolean): void {
    for (const proxied of this.#open) {
      if (!isLost(proxied.admitted)) continue;
      proxied.cancel(new BowlineError("Forbidden", "The access to this cluster was taken back."));
    }
  }

  /**
   * Ends watches, whose clients ask again, and waits for the rest until the limit aborts, which cuts it. Nothing must
   * be added from now on.
   */
  async close(limit: AbortSignal): Promise<void> {
    this.#isClosing = true;
    for (const proxied of this.#open) proxied.endWatch();
    if (this.#open.size === 0) this.#closed.resolve();
    const cut = (): void => this.#cut();
    if (limit.aborted) cut();
    limit.addEventListener("abort", cut, { once: true });
    try {
      await this.#closed.promise;
    } finally {
      limit.removeEventListener("abort", cut);
      this.#cancelCheck?.();
    }
  }

  #cut(): void {
    for (const proxied of this.#open) {
      proxied.cancel(new BowlineError("ServerUnavailable", "The server is stopping; try again."));
    }
  }

  #watch(identity: Identity): void {
    if (this.#watched.has(identity)) return;
    this.#watched.add(identity);
    const ended = this.#options.access.ended(identity);
    const end = (): void => {
      for (const proxied of this.#open) {
        if (proxied.admitted.identity === identity) proxied.cancel(BowlineError.from(ended.reason));
      }
    };
    ended.addEventListener("abort", end, { once: true });
  }

  #armCheck(): () => void {
    return this.#options.clock.after(checkIntervalMs, () => {
      const nowMs = this.#options.clock.monotonicMs();
      for (const proxied of this.#open) proxied.check(nowMs);
      this.#cancelCheck = this.#open.size === 0 ? undefined : this.#armCheck();
    });
  }
}
