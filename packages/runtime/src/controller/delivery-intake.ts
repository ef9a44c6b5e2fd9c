import { setImmediate as nextTurn } from "node:timers/promises";

import { Backoff, BowlineError, watchBackoff, type Clock, type Random } from "@bowline/core";

import {
  HeldDeliveries,
  type Claim,
  type Delivery,
  type DeliverySource,
  type Settlement,
} from "./deliveries.ts";

interface DeliveryIntakeOptions {
  readonly source: DeliverySource;
  readonly clock: Clock;
  readonly random: Random;
  /** How many deliveries this process holds at most; the rest stays with the broker, for others. */
  readonly maxHeld: number;
  readonly onError: (error: BowlineError) => void;
  /** False when the key cannot be worked on here, perhaps for long: it is given back. */
  readonly accepts: (key: string) => boolean;
  readonly enqueue: (key: string) => void;
}

/** Takes deliveries from a broker, as many as there is room for, and keeps them until they are settled. */
export class DeliveryIntake {
  readonly #options: DeliveryIntakeOptions;
  readonly #held: HeldDeliveries;
  #onCapacity: (() => void) | undefined;
  #error: BowlineError | undefined;

  constructor(options: DeliveryIntakeOptions) {
    this.#options = options;
    this.#held = new HeldDeliveries({
      clock: options.clock,
      ackWaitMs: options.source.ackWaitMs,
      onError: options.onError,
      onSettled: () => this.#onCapacity?.(),
    });
  }

  /** How many deliveries are held. */
  get held(): number {
    return this.#held.size;
  }

  /** Why nothing comes in, if so. */
  get error(): BowlineError | undefined {
    return this.#error;
  }

  claim(key: string): Claim {
    return this.#held.claim(key);
  }

  settle(claim: Claim, settlement: Settlement): void {
    this.#held.settle(claim, settlement);
  }

  returnAll(): Promise<void> {
    return this.#held.returnAll();
  }

  /** Takes until the signal aborts. What it holds then stays held: see `returnAll`. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, onError } = this.#options;
    const backoff = new Backoff(watchBackoff, clock, random);
    const onAbort = (): void => this.#onCapacity?.();
    signal.addEventListener("abort", onAbort);
    while (!signal.aborted) {
      try {
        await this.#takeSome(signal);
        backoff.reset();
        this.#error = undefined;
      } catch (thrown) {
        if (signal.aborted) break;
        this.#error = BowlineError.from(thrown);
        onError(this.#error);
        await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
      }
    }
    signal.removeEventListener("abort", onAbort);
  }

  async #takeSome(signal: AbortSignal): Promise<void> {
    const { source, maxHeld } = this.#options;
    if (this.#held.size >= maxHeld) return this.#waitForCapacity();
    const taken = await source.take(maxHeld - this.#held.size, signal);
    for (const delivery of taken) this.#accept(delivery, signal);
    // A source that answers at once, with nothing, must not keep the process from everything else.
    if (taken.length === 0) await nextTurn();
  }

  #accept(delivery: Delivery, signal: AbortSignal): void {
    const { accepts, enqueue, source } = this.#options;
    if (signal.aborted) return this.#held.refuse(delivery, 0);
    if (!accepts(delivery.key)) return this.#held.refuse(delivery, source.ackWaitMs);
    this.#held.hold(delivery);
    enqueue(delivery.key);
  }

  async #waitForCapacity(): Promise<void> {
    const capacity = Promise.withResolvers<void>();
    this.#onCapacity = capacity.resolve;
    await capacity.promise;
    this.#onCapacity = undefined;
  }
}
