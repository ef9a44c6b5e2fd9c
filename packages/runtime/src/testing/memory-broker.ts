import { BowlineError, type Clock } from "@bowline/core";

import type { Delivery, DeliverySource } from "../controller/deliveries.ts";

interface MemoryBrokerOptions {
  readonly clock: Clock;
  readonly ackWaitMs: number;
}

interface Message {
  readonly key: string;
  readonly generation: number;
  attempt: number;
  /** Counts deliveries; a settlement of an older one comes too late and is ignored, as with a real broker. */
  deliveries: number;
  cancelTimer: () => void;
}

/** A step in the life of one delivery, in order. */
export interface BrokerRecord {
  readonly key: string;
  readonly did: "deliver" | "ack" | "retry" | "in progress" | "dead-letter" | "ack wait passed";
  readonly atMs: number;
  readonly delayMs?: number;
  readonly attempt?: number;
  readonly reason?: string;
}

/** A broker that delivers at least once, for tests: what is not settled in time, it delivers again. */
export class MemoryBroker implements DeliverySource {
  readonly ackWaitMs: number;
  readonly records: BrokerRecord[] = [];
  /** While set, taking fails with it. */
  outage: Error | undefined;
  readonly #clock: Clock;
  readonly #ready: Message[] = [];
  readonly #unsettled = new Set<Message>();
  #changed = Promise.withResolvers<void>();

  constructor({ clock, ackWaitMs }: MemoryBrokerOptions) {
    this.#clock = clock;
    this.ackWaitMs = ackWaitMs;
  }

  /** Messages that are neither acknowledged nor dead letters. */
  get size(): number {
    return this.#unsettled.size;
  }

  publish(key: string, generation: number): void {
    const message: Message = { key, generation, attempt: 1, deliveries: 0, cancelTimer: () => {} };
    this.#unsettled.add(message);
    this.#makeReady(message);
  }

  /** Loses every message, as a broker whose disk was wiped. */
  wipe(): void {
    for (const message of this.#unsettled) this.#remove(message);
    this.#ready.length = 0;
  }

  async take(max: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    for (;;) {
      signal.throwIfAborted();
      if (this.outage !== undefined) throw this.outage;
      if (this.#ready.length > 0) return this.#ready.splice(0, max).map((message) => this.#deliver(message));
      await this.#change(signal);
    }
  }

  /** Resolves when there is something to take, or the signal aborts. */
  async #change(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    const onAbort = (): void => aborted.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#changed.promise, aborted.promise]);
    signal.removeEventListener("abort", onAbort);
  }

  #deliver(message: Message): Delivery {
    message.deliveries += 1;
    const number = message.deliveries;
    const { key, generation, attempt } = message;
    let isSettled = false;
    const settle = (record: Omit<BrokerRecord, "key" | "atMs">, effect: () => void): void => {
      if (isSettled) throw new BowlineError("InvalidArgument", `A delivery of "${key}" was settled twice.`);
      isSettled = true;
      this.#record(message, record);
      if (!this.#unsettled.has(message) || message.deliveries !== number) return;
      message.cancelTimer();
      effect();
    };
    this.#record(message, { did: "deliver", attempt });
    this.#awaitAck(message);
    return {
      key,
      generation,
      attempt,
      ack: () => settle({ did: "ack" }, () => this.#remove(message)),
      retry: (delayMs, nextAttempt) =>
        settle({ did: "retry", delayMs, attempt: nextAttempt }, () => {
          message.attempt = nextAttempt;
          message.cancelTimer = this.#clock.after(delayMs, () => this.#makeReady(message));
        }),
      inProgress: () => {
        this.#record(message, { did: "in progress" });
        if (!isSettled && message.deliveries === number) this.#awaitAck(message);
      },
      deadLetter: (reason) => settle({ did: "dead-letter", reason }, () => this.#remove(message)),
    };
  }

  #awaitAck(message: Message): void {
    message.cancelTimer();
    message.cancelTimer = this.#clock.after(this.ackWaitMs, () => {
      this.#record(message, { did: "ack wait passed" });
      // From now on the delivery that did not answer is too late.
      message.deliveries += 1;
      this.#makeReady(message);
    });
  }

  #makeReady(message: Message): void {
    this.#ready.push(message);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #remove(message: Message): void {
    message.cancelTimer();
    this.#unsettled.delete(message);
  }

  #record(message: Message, record: Omit<BrokerRecord, "key" | "atMs">): void {
    this.records.push({ key: message.key, atMs: this.#clock.monotonicMs(), ...record });
  }
}
