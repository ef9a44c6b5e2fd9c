import type { Kind } from "@bowline/api";
import {
  Backoff,
  BowlineError,
  LinkedAbortController,
  type Clock,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";

import type { ObjectGeneration, ObjectStore } from "@bowline/store";
import { messageOf, type Broker } from "./broker.ts";

export interface SweeperOptions {
  readonly objects: Pick<ObjectStore, "listUnobserved">;
  readonly leases: LeaseStore;
  readonly broker: Pick<Broker, "isShared" | "offer" | "publish">;
  /** The kinds whose controllers run. */
  readonly kinds: readonly Kind[];
  /** Names this process among those that may sweep. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The longest time between two sweeps; 1 minute by default. */
  readonly intervalMs?: number;
  readonly onSwept?: (sweep: Sweep) => void;
  /** Told of every failure, all of which are tried again. Must not throw. */
  readonly onError?: (error: BowlineError) => void;
}

/** The findings of one sweep. */
export interface Sweep {
  /** Objects whose generation nobody had observed. */
  readonly unobserved: number;
  /** The part of them that the broker did not know of. */
  readonly offered: number;
}

const pageSize = 500;
const leaseKey = "sweep";
const leaseTtlMs = 5_000;
/** How long to wait for another replica that sweeps. */
const leaseRetryMs = 1_000;
const defaultIntervalMs = 60_000;
/** How often to be thorough without a reason: longer than any key waits in a broker for good ones. */
const thoroughIntervalMs = 10 * 60_000;

const sweepBackoff: ResettingBackoffPolicy = {
  baseMs: 500,
  maxMs: 10_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 60_000,
};

/**
 * Finds every object whose generation is not observed and offers its key to the broker, which takes those it does not
 * have. So nothing that was committed stays undone, whatever was lost on its way, and what is in work is not disturbed.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #isRequested = true;
  #isThorough = false;
  #lastThoroughMs: number;
  #failingSinceMs: number | undefined;
  #wake = (): void => {};

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#lastThoroughMs = options.clock.monotonicMs();
  }

  /**
   * Sweep now, or once more if a sweep is under way, since that may have passed by already. A thorough one also tells
   * the broker of keys it claims to have: after a crash it may have them and never deliver them.
   */
  request({ isThorough = false } = {}): void {
    this.#isRequested = true;
    this.#isThorough ||= isThorough;
    this.#wake();
  }

  /** How long no sweep has come to its end because of a failure; 0 when the last one did. */
  failingMs(): number {
    return this.#failingSinceMs === undefined ? 0 : this.#options.clock.monotonicMs() - this.#failingSinceMs;
  }

  /** Sweeps at the start, when requested, and at an interval, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, intervalMs = defaultIntervalMs, onSwept, onError } = this.#options;
    const backoff = new Backoff(sweepBackoff, clock, random);
    while (!signal.aborted) {
      const isThorough = this.#isThorough || clock.monotonicMs() - this.#lastThoroughMs >= thoroughIntervalMs;
      try {
        this.#isRequested = false;
        this.#isThorough = false;
        onSwept?.(await this.#sweep(isThorough, signal));
        this.#failingSinceMs = undefined;
        if (!this.#isRequested) await this.#pause(intervalMs * (1 - random() / 2), signal);
      } catch (thrown) {
        if (signal.aborted) return;
        this.#isRequested = true;
        this.#isThorough ||= isThorough;
        this.#failingSinceMs ??= clock.monotonicMs();
        onError?.(BowlineError.from(thrown));
        await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
      }
    }
  }

  async #sweep(isThorough: boolean, signal: AbortSignal): Promise<Sweep> {
    const { objects, kinds, leases, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    let unobserved = 0;
    let offered = 0;
    let after: ObjectGeneration | undefined;
    for (;;) {
      const token = await this.#awaitTurn(signal);
      const page = await objects.listUnobserved({ kinds, limit: pageSize, after });
      unobserved += page.length;
      offered += await this.#send(page, isThorough, signal);
      after = page.at(-1);
      if (page.length === pageSize) continue;
      if (isThorough) this.#lastThoroughMs = startedMs;
      await leases.release(leaseKey, token);
      return { unobserved, offered };
    }
  }

  /** Resolves to how many the broker did not know of, as far as it was asked. */
  async #send(page: readonly ObjectGeneration[], isThorough: boolean, signal: AbortSignal): Promise<number> {
    const { broker, owner, clock } = this.#options;
    // Never the same twice, so that no broker takes it for a repetition.
    const sweep = `${owner}-${clock.now()}`;
    const messages = page.map((object) => messageOf(object, sweep));
    if (!isThorough || !broker.isShared) return broker.offer(messages, signal);
    await broker.publish(messages);
    return 0;
  }

  /**
   * One replica at a time, to spare the database. Two at once would do no harm, so it is enough to ask before every
   * page, and whoever fails in between lets it run out.
   */
  async #awaitTurn(signal: AbortSignal): Promise<number> {
    const { leases, owner, clock } = this.#options;
    for (;;) {
      const grant = await leases.tryAcquire(leaseKey, owner, leaseTtlMs);
      if (grant !== undefined) return grant.token;
      await clock.sleep(leaseRetryMs, signal);
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    using pause = new LinkedAbortController(signal);
    this.#wake = () => pause.abort();
    await this.#options.clock.sleep(delayMs, pause.signal).catch(() => {});
    this.#wake = () => {};
  }
}
