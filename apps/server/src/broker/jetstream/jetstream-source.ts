import { asRecord, type Clock } from "@bowline/core";
import type { Delivery, DeliverySource } from "@bowline/runtime";
import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";

import type { JetStreamSession } from "./jetstream-session.ts";
import { pullMessages } from "./pull-messages.ts";
import { neverAnswered } from "../broker.ts";

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

/** The way of a delivery's answers: the connection there is now, which need not be the one it came by. */
export interface DeliveryLink {
  /** Tells the consumer what became of a message; `BrokerUnavailable` while there is no connection. */
  answer(reply: string, answer: string): void;
  /** Sends a message in the place of another one, if that is still the last of its subject. */
  replace(subject: string, body: Uint8Array, options: { headers: MsgHdrs; sequence: number }): Promise<void>;
}

/** How often a message may be delivered without an answer. */
const maxDeliveries = 30;

const attemptHeader = "Bowline-Attempt";
const delayHeader = "Bowline-Delay-Ms";

/**
 * A message of JetStream as a delivery. A message cannot be changed, so a retry is a new message in its place, which
 * carries the number of the attempt and the delay; it spends the delay by being refused at its first delivery.
 */
class JetStreamDelivery implements Delivery {
  readonly key: string;
  readonly generation: number;
  readonly attempt: number;
  /** How long it is not to be handed out. */
  readonly delayMs: number;
  readonly #message: Msg;
  readonly #reply: string;
  readonly #sequence: number;
  readonly #link: DeliveryLink;

  constructor(message: Msg, link: DeliveryLink) {
    const { key, generation } = contentOf(message);
    const { deliveries, sequence, reply } = placeOf(message);
    this.key = key;
    this.generation = generation;
    this.attempt = deliveries > maxDeliveries ? neverAnswered : numberIn(message.headers, attemptHeader, 1);
    this.delayMs = deliveries === 1 ? numberIn(message.headers, delayHeader, 0) : 0;
    this.#message = message;
    this.#reply = reply;
    this.#sequence = sequence;
    this.#link = link;
  }

  ack(): void {
    this.#link.answer(this.#reply, "+ACK");
  }

  inProgress(): void {
    this.#link.answer(this.#reply, "+WPI");
  }

  /** Conditions and events tell people; the server tells its own monitoring. */
  deadLetter(): void {
    this.#link.answer(this.#reply, "+TERM");
  }

  /** Spends the delay it came with. */
  postpone(): void {
    this.#link.answer(this.#reply, `-NAK ${JSON.stringify({ delay: this.delayMs * 1_000_000 })}`);
  }

  retry(delayMs: number, attempt: number): Promise<void> | void {
    if (delayMs === 0 && attempt === this.attempt) return this.#link.answer(this.#reply, "-NAK");
    const carried = headers();
    carried.set(attemptHeader, String(attempt));
    carried.set(delayHeader, String(Math.round(delayMs)));
    const { subject, data } = this.#message;
    return this.#link.replace(subject, data, { headers: carried, sequence: this.#sequence });
  }
}

/** Empty for what is not ours: nobody has an object without a name, so it is done with as soon as it is looked at. */
function contentOf(message: Msg): { readonly key: string; readonly generation: number } {
  try {
    const { key, generation } = asRecord(message.json());
    if (typeof key === "string" && typeof generation === "number") return { key, generation };
  } catch {
    // No JSON either.
  }
  return { key: "", generation: 0 };
}

/** The subject for answers says which message it is and how often it was delivered. */
function placeOf({ reply = "" }: Msg): { deliveries: number; sequence: number; reply: string } {
  const tokens = reply.split(".");
  // Newer servers put a domain and an account before the name of the stream.
  const afterConsumer = tokens.length > 9 ? 6 : 4;
  return { deliveries: Number(tokens[afterConsumer]), sequence: Number(tokens[afterConsumer + 1]), reply };
}

function numberIn(found: MsgHdrs | undefined, name: string, otherwise: number): number {
  const text = found?.get(name) ?? "";
  return text === "" ? otherwise : Number(text);
}
