import { BowlineError, withDeadline, type Clock } from "@bowline/core";

/** A key a broker handed to this process, to be settled by exactly one of `ack`, `retry` and `deadLetter`. */
export interface Delivery {
  readonly key: string;
  /** The generation of the object when the key was sent, as far as the sender knew. */
  readonly generation: number;
  /**
   * One more than the failures in a row before, as far as the broker knows: it keeps the number that `retry` was given.
   * One that cannot keep it says 1; the controller also counts by itself. The number of deliveries is not meant.
   */
  readonly attempt: number;
  /** The work is done; never deliver it again. */
  ack(): Promise<void> | void;
  /** Deliver it again after `delayMs`, to anybody, as attempt number `attempt`. */
  retry(delayMs: number, attempt: number): Promise<void> | void;
  /** Still held: do not deliver it to somebody else yet. */
  inProgress(): Promise<void> | void;
  /** Given up: put it where people see it, and never deliver it again. */
  deadLetter(reason: string): Promise<void> | void;
}

/** The side of a broker that hands out keys. What is neither settled nor said to be in progress, it delivers again. */
export interface DeliverySource {
  /** How long it waits for a sign of life before it delivers to somebody else. */
  readonly ackWaitMs: number;
  /**
   * Waits until there is something, and resolves to at most `max` deliveries; to none if nothing came for long. Rejects
   * when the signal aborts, and when the broker is out of reach; it is then called again after a while.
   */
  take(max: number, signal: AbortSignal): Promise<readonly Delivery[]>;
}

/** How the deliveries of a key are settled when the work on it has ended. */
export type Settlement =
  | { readonly kind: "ack" }
  | { readonly kind: "retry"; readonly delayMs: number; readonly attempt: number }
  | { readonly kind: "dead-letter"; readonly reason: string };

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

  /**
   * Tells the broker. The last delivery carries a retry or a dead letter, the others are acknowledged: they say the same.
   * A broker that keeps one message of each key has only the last.
   */
  settle(claim: Claim, settlement: Settlement): void {
    const carrier = claim.at(-1);
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
