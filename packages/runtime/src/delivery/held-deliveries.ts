import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import type { Delivery, Settlement } from "./delivery.ts";

interface HeldDeliveriesOptions {
  readonly clock: Clock;
  readonly ackWaitMs: number;
  /** A broker that did not take a settlement or a sign of life. It delivers again, so nothing is lost. */
  readonly onError: (error: BowlineError) => void;
  /** There is room for more. */
  readonly onSettled: () => void;
}

/** Deliveries of one key that the same run of work answers. */
export type Claim = readonly Delivery[];

/**
 * The deliveries this process has and has not settled.
 *
 * States of a delivery:
 * - waiting: its key stands in the queue
 * - claimed: its key is being worked on; what the work finds out settles it. One that comes during the work waits for
 *   the next run, because the work may have read the object before
 * - settling: the broker is being told; from here on nobody tells it anything else
 */
export class HeldDeliveries {
  readonly #options: HeldDeliveriesOptions;
  readonly #waiting = new Map<string, Delivery[]>();
  readonly #unsettled = new Set<Delivery>();
  readonly #settling = new Set<Promise<void>>();
  #cancelHeartbeat: (() => void) | undefined;

  constructor(options: HeldDeliveriesOptions) {
    this.#options = options;
  }

  /** How many the broker still waits for. */
  get size(): number {
    return this.#unsettled.size + this.#settling.size;
  }

  hold(delivery: Delivery): void {
    const { key } = delivery;
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [delivery]);
    else others.push(delivery);
    this.#unsettled.add(delivery);
    this.#cancelHeartbeat ??= this.#armHeartbeat();
  }

  /** All that waits for this key. */
  claim(key: string): Claim {
    const claimed = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return claimed;
  }

  /** Tells the broker. One delivery carries a retry or a dead letter, the others are acknowledged: they say the same. */
  settle(claim: Claim, settlement: Settlement): void {
    const carrier = claim.reduce<Delivery | undefined>(
      (highest, each) => (highest === undefined || each.generation >= highest.generation ? each : highest),
      undefined,
    );
    for (const each of claim) this.#settleOne(each, each === carrier ? settlement : { kind: "ack" });
  }

  /** Gives back one that is not even to wait. */
  refuse(delivery: Delivery, delayMs: number): void {
    this.#unsettled.add(delivery);
    this.#settleOne(delivery, { kind: "retry", delayMs, attempt: delivery.attempt });
  }

  /** Gives back all that is not settled, and waits until the broker knows, up to its ack wait. */
  async returnAll(): Promise<void> {
    this.#waiting.clear();
    for (const each of this.#unsettled) {
      this.#settleOne(each, { kind: "retry", delayMs: 0, attempt: each.attempt });
    }
    await Promise.all(this.#settling);
  }

  #settleOne(delivery: Delivery, settlement: Settlement): void {
    this.#unsettled.delete(delivery);
    if (this.#unsettled.size === 0) this.#stopHeartbeat();
    const told = this.#tell(delivery, () => settleBy(delivery, settlement));
    if (told === undefined) return this.#options.onSettled();
    const settling = told.finally(() => {
      this.#settling.delete(settling);
      this.#options.onSettled();
    });
    this.#settling.add(settling);
  }

  /** Calls the broker; a promise it returns is limited and never rejects. */
  #tell(delivery: Delivery, call: () => Promise<void> | void): Promise<void> | undefined {
    const { clock, ackWaitMs } = this.#options;
    const onTimeout = (): Error =>
      new BowlineError(
        "Timeout",
        `The broker did not answer about "${delivery.key}" within ${ackWaitMs} ms.`,
      );
    try {
      const answer = call();
      if (answer === undefined) return undefined;
      return withDeadline(() => answer, { clock, limitMs: ackWaitMs, onTimeout }).catch((thrown: unknown) =>
        this.#options.onError(BowlineError.from(thrown)),
      );
    } catch (thrown) {
      this.#options.onError(BowlineError.from(thrown));
      return undefined;
    }
  }

  /** One timer for all: whenever a delivery came, it hears of us within a third of the time the broker waits. */
  #armHeartbeat(): () => void {
    return this.#options.clock.after(this.#options.ackWaitMs / 3, () => {
      this.#cancelHeartbeat = this.#armHeartbeat();
      for (const delivery of this.#unsettled) void this.#tell(delivery, () => delivery.inProgress());
    });
  }

  #stopHeartbeat(): void {
    this.#cancelHeartbeat?.();
    this.#cancelHeartbeat = undefined;
  }
}

function settleBy(delivery: Delivery, settlement: Settlement): Promise<void> | void {
  switch (settlement.kind) {
    case "ack":
      return delivery.ack();
    case "retry":
      return delivery.retry(settlement.delayMs, settlement.attempt);
    case "dead-letter":
      return delivery.deadLetter(settlement.reason);
  }
}
