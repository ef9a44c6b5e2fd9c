import type { Clock } from "@bowline/core";
import type { Delivery, DeliverySource } from "@bowline/runtime";

import { JetStreamDelivery, type DeliveryLink } from "./jetstream-delivery.ts";
import type { JetStreamSession } from "./jetstream-session.ts";
import { pullMessages } from "./pull-messages.ts";

export interface JetStreamSourceOptions {
  readonly kind: string;
  readonly ackWaitMs: number;
  readonly clock: Clock;
  readonly link: DeliveryLink;
  /** Where the consumer takes requests. */
  readonly subject: string;
  /** Does something with a session; what fails because something is gone makes the next one begin anew. */
  readonly withSession: <T>(work: (session: JetStreamSession) => Promise<T>) => Promise<T>;
}

/** How long to wait for a key before the controller is asked again how many it has room for. */
const waitMs = 30_000;

/** The keys of one kind out of a durable consumer. */
export class JetStreamSource implements DeliverySource {
  readonly ackWaitMs: number;
  readonly #options: JetStreamSourceOptions;

  constructor(options: JetStreamSourceOptions) {
    this.ackWaitMs = options.ackWaitMs;
    this.#options = options;
  }

  async take(max: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    signal.throwIfAborted();
    const { kind, clock, subject, link, withSession } = this.#options;
    const messages = await withSession(async (session) => {
      await session.requireConsumer(kind);
      const { connection } = session;
      const there = await pullMessages({ connection, clock, subject, batch: max, signal });
      // Only one, because a waiting request comes back when it is filled, not when something came.
      return there.length > 0
        ? there
        : pullMessages({ connection, clock, subject, batch: 1, waitMs, signal });
    });
    const deliveries = messages.map((message) => new JetStreamDelivery(message, link));
    for (const delivery of deliveries) if (delivery.delayMs > 0) delivery.postpone();
    return deliveries.filter((delivery) => delivery.delayMs === 0);
  }
}
