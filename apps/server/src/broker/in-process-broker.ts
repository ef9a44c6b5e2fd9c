import { BowlineError, type Clock, type Random } from "@bowline/core";

import type { Broker, BrokerMessage } from "./broker.ts";
import { InProcessQueue } from "./in-process-queue.ts";

export interface InProcessBrokerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether other processes on the same database may hand themselves the same keys; not by default. */
  readonly isShared?: boolean;
  /** How long a taker may be silent; 30 s by default. */
  readonly ackWaitMs?: number;
  /** How many keys of a kind may wait before offers have to; 10,000 by default. */
  readonly offerRoom?: number;
}

/** The broker of a server that shares its work with no other: keys go from hand to hand, and nothing is written. */
export class InProcessBroker implements Broker {
  readonly isShared: boolean;
  readonly #options: InProcessBrokerOptions;
  readonly #queues = new Map<string, InProcessQueue>();
  #isClosed = false;

  constructor(options: InProcessBrokerOptions) {
    this.#options = options;
    this.isShared = options.isShared ?? false;
  }

  async publish(messages: readonly BrokerMessage[]): Promise<void> {
    this.#requireOpen();
    for (const message of messages) this.source(message.kind).publish(message);
  }

  async offer(messages: readonly BrokerMessage[], signal: AbortSignal): Promise<number> {
    let taken = 0;
    for (const message of messages) {
      this.#requireOpen();
      if (await this.source(message.kind).offer(message, signal)) taken += 1;
    }
    return taken;
  }

  source(kind: string): InProcessQueue {
    const known = this.#queues.get(kind);
    if (known !== undefined) return known;
    const { clock, random, ackWaitMs = 30_000, offerRoom = 10_000 } = this.#options;
    const queue = new InProcessQueue({ clock, random, ackWaitMs, offerRoom });
    this.#queues.set(kind, queue);
    return queue;
  }

  /** What it has is lost with the process alone, and everybody who could be told with it. */
  onLoss(): () => void {
    return () => {};
  }

  async check(): Promise<void> {
    this.#requireOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) queue.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new BowlineError("BrokerUnavailable", "The broker has been closed.");
  }
}
