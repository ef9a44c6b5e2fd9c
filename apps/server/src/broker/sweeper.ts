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
  readonly objects: Pick<ObjectStore, "listUnobserved" | "listKeys">;
  readonly leases: LeaseStore;
  readonly broker: Pick<Broker, "isShared" | "offer" | "publish">;
  /** The kinds whose controllers run. */
  readonly kinds: readonly Kind[];
  /** Those of them whose controllers also act on changes of other objects, which leave no trace in their own. */
  readonly watching?: readonly Kind[];
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
  /** Objects that were offered whether or not they are done, because changes of others may have been missed. */
  readonly rechecked: number;
}

export interface SweepRequest {
  /** Also tells the broker of keys it claims to have: after a crash it may have them and never deliver them. */
  readonly isThorough?: boolean;
  /** Also offers every object of the kinds that watch others: what happened to those may have been missed. */
  readonly isComplete?: boolean;
}

type ListPage = (page: {
  readonly limit: number;
  readonly after: ObjectGeneration | undefined;
}) => Promise<readonly ObjectGeneration[]>;

interface Offers {
  readonly found: number;
  readonly offered: number;
  /** Of the turn in which the last page was read; undefined where nobody else sweeps. */
  readonly token: number | undefined;
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
 *
 * Nothing in an object tells that its controller has not heard of a change of another one. When such a change may have
 * been missed, and only then, all objects of that controller are offered.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #isRequested = true;
  #isThorough = false;
  #isComplete = false;
  #lastThoroughMs: number;
  #failingSinceMs: number | undefined;
  #wake = (): void => {};

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#lastThoroughMs = options.clock.monotonicMs();
  }

  /** Sweep now, or once more if a sweep is under way, since that may have passed by already. */
  request({ isThorough = false, isComplete = false }: SweepRequest = {}): void {
    this.#isRequested = true;
    this.#isThorough ||= isThorough;
    this.#isComplete ||= isComplete;
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
      const isComplete = this.#isComplete;
      try {
        this.#isRequested = false;
        this.#isThorough = false;
        this.#isComplete = false;
        onSwept?.(await this.#sweep({ isThorough, isComplete }, signal));
        this.#failingSinceMs = undefined;
        if (!this.#isRequested) await this.#pause(intervalMs * (1 - random() / 2), signal);
      } catch (thrown) {
        if (signal.aborted) return;
        this.#isRequested = true;
        this.#isThorough ||= isThorough;
        this.#isComplete ||= isComplete;
        this.#failingSinceMs ??= clock.monotonicMs();
        onError?.(BowlineError.from(thrown));
        await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
      }
    }
  }

  async #sweep({ isThorough, isComplete }: Required<SweepRequest>, signal: AbortSignal): Promise<Sweep> {
    const { objects, kinds, watching = [], leases, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    const scope = { isThorough, signal };
    const undone = await this.#offerAll((page) => objects.listUnobserved({ kinds, ...page }), scope);
    if (isThorough) this.#lastThoroughMs = startedMs;
    const all = isComplete
      ? await this.#offerAll((page) => objects.listKeys({ kinds: watching, ...page }), scope)
      : undefined;
    const token = all?.token ?? undone.token;
    if (token !== undefined) await leases.release(leaseKey, token);
    return { unobserved: undone.found, offered: undone.offered, rechecked: all?.found ?? 0 };
  }

  async #offerAll(
    list: ListPage,
    { isThorough, signal }: { readonly isThorough: boolean; readonly signal: AbortSignal },
  ): Promise<Offers> {
    let found = 0;
    let offered = 0;
    let after: ObjectGeneration | undefined;
    for (;;) {
      const token = await this.#awaitTurn(signal);
      const page = await list({ limit: pageSize, after });
      found += page.length;
      offered += await this.#send(page, isThorough, signal);
      after = page.at(-1);
      if (page.length < pageSize) return { found, offered, token };
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
   * page, and whoever fails in between lets it run out. A process that has the database for itself asks nobody, and
   * writes nothing while there is nothing to do.
   */
  async #awaitTurn(signal: AbortSignal): Promise<number | undefined> {
    const { leases, broker, owner, clock } = this.#options;
    if (!broker.isShared) return undefined;
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
