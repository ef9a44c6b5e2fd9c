import { BowlineError, TransientSet, type Clock } from "@bowline/core";

import type { Access, Identity } from "@bowline/auth";
import type { OpenExchanges } from "../proxy-metrics.ts";
import type { ProxiedCall } from "../proxied-call.ts";
import type { ProxyExchange } from "./proxy-exchange.ts";

export interface ExchangeTableOptions {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly access: Pick<Access, "ended">;
}

/** One timer for all of them costs less than one for each; how late it may be does not matter. */
const checkIntervalMs = 1_000;

/** The exchanges under way: ends those that take too long, or that nobody may have any more. */
export class ExchangeTable {
  readonly #options: ExchangeTableOptions;
  readonly #open = new TransientSet<ProxyExchange>();
  /** Who is watched for losing what they stand on: so many listeners as identities, not as requests. */
  readonly #watched = new WeakSet<Identity>();
  readonly #closed = Promise.withResolvers<void>();
  #cancelCheck: (() => void) | undefined;
  #isClosing = false;

  constructor(options: ExchangeTableOptions) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get open(): OpenExchanges {
    let [streams, upgrades] = [0, 0];
    for (const { call } of this.#open) {
      if (call.upgrade !== undefined) upgrades += 1;
      else if (call.request.isStream) streams += 1;
    }
    return { requests: this.#open.size - streams - upgrades, streams, upgrades };
  }

  add(exchange: ProxyExchange): void {
    this.#open.add(exchange);
    this.#watch(exchange.call.identity);
    this.#cancelCheck ??= this.#armCheck();
  }

  remove(exchange: ProxyExchange): void {
    this.#open.delete(exchange);
    if (this.#isClosing && this.#open.size === 0) this.#closed.resolve();
  }

  /** Ends what is not granted any more. */
  endWhere(isLost: (call: ProxiedCall) => boolean): void {
    for (const exchange of this.#open) {
      if (!isLost(exchange.call)) continue;
      exchange.cancel(new BowlineError("Forbidden", "The access to this cluster was taken back."));
    }
  }

  /**
   * Ends watches, whose clients ask again, and waits for the rest until the limit aborts, which cuts it. Nothing must
   * be added from now on.
   */
  async close(limit: AbortSignal): Promise<void> {
    this.#isClosing = true;
    for (const exchange of this.#open) exchange.endWatch();
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
    for (const exchange of this.#open) {
      exchange.cancel(new BowlineError("ServerUnavailable", "The server is stopping; try again."));
    }
  }

  #watch(identity: Identity): void {
    if (this.#watched.has(identity)) return;
    this.#watched.add(identity);
    const ended = this.#options.access.ended(identity);
    const end = (): void => {
      for (const exchange of this.#open) {
        if (exchange.call.identity === identity) exchange.cancel(BowlineError.from(ended.reason));
      }
    };
    ended.addEventListener("abort", end, { once: true });
  }

  #armCheck(): () => void {
    return this.#options.clock.after(checkIntervalMs, () => {
      const nowMs = this.#options.clock.monotonicMs();
      for (const exchange of this.#open) exchange.check(nowMs);
      this.#cancelCheck = this.#open.size === 0 ? undefined : this.#armCheck();
    });
  }
}
