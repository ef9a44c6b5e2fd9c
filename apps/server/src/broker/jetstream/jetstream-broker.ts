import { BowlineError, withDeadline, type Clock, type Random } from "@bowline/core";
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamPublishOptions,
  type PubAck,
} from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";

import type { Broker, BrokerMessage } from "../broker.ts";
import { dialNats, publicAddress, type NatsOptions } from "./dial-nats.ts";
import { JetStreamSource, type DeliveryLink } from "./jetstream-source.ts";
import { answerLimitMs, JetStreamSession } from "./jetstream-session.ts";
import { NatsLink } from "./nats-link.ts";
import { WorkStream } from "./work-stream.ts";

export interface JetStreamBrokerOptions {
  readonly nats: NatsOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** Tells installations apart that share a NATS; `bowline` by default. */
  readonly name?: string;
  /** How long a taker may be silent; 15 s by default, as long as its leases last: both hold up whoever takes over. */
  readonly ackWaitMs?: number;
}

/** How many messages are on their way at the same time. */
const maxUnanswered = 256;

/** The broker of several replicas. It is usable whether or not NATS is there; what it cannot do meanwhile it rejects. */
export class JetStreamBroker implements Broker, DeliveryLink {
  readonly isShared = true;
  readonly #options: JetStreamBrokerOptions;
  readonly #work: WorkStream;
  readonly #ackWaitMs: number;
  readonly #link: NatsLink;
  readonly #lossCallbacks = new Set<() => void>();
  #session: SessionEntry | undefined;

  constructor(options: JetStreamBrokerOptions) {
    const { clock, random, name = "bowline", ackWaitMs = 15_000 } = options;
    this.#options = options;
    this.#ackWaitMs = ackWaitMs;
    this.#work = new WorkStream({ name, ackWaitMs });
    const address = publicAddress(options.nats.url);
    this.#link = new NatsLink({ address, dial: () => dialNats(options.nats, name), clock, random });
  }

  async publish(messages: readonly BrokerMessage[]): Promise<void> {
    await this.#sendAll(messages, ({ id }) => ({ msgID: id }));
  }

  /** Without an id, by which a message would be dropped although the one before it has long been taken. */
  async offer(messages: readonly BrokerMessage[], signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    return this.#sendAll(messages, () => ({ expect: { lastSubjectSequence: 0 } }));
  }

  source(kind: string): JetStreamSource {
    return new JetStreamSource({
      kind,
      ackWaitMs: this.#ackWaitMs,
      clock: this.#options.clock,
      link: this,
      subject: this.#work.pullSubject(kind),
      withSession: (work) => this.#withSession(work),
    });
  }

  onLoss(callback: () => void): () => void {
    this.#lossCallbacks.add(callback);
    return () => void this.#lossCallbacks.delete(callback);
  }

  async check(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const onTimeout = (): Error =>
      new BowlineError("BrokerUnavailable", `NATS did not answer within ${answerLimitMs} ms.`);
    await this.#withSession((session) =>
      withDeadline(() => session.connection.flush(), { clock, limitMs: answerLimitMs, signal, onTimeout }),
    );
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  answer(reply: string, answer: string): void {
    this.#link.connection.publish(reply, answer);
  }

  async replace(
    subject: string,
    body: Uint8Array,
    { headers, sequence }: { readonly headers: MsgHdrs; readonly sequence: number },
  ): Promise<void> {
    await this.#withSession(({ client }) =>
      sent(client.publish(subject, body, { headers, expect: { lastSubjectSequence: sequence } })),
    );
  }

  /** Resolves to how many the stream did not have. */
  async #sendAll(
    messages: readonly BrokerMessage[],
    options: (message: BrokerMessage) => Partial<JetStreamPublishOptions>,
  ): Promise<number> {
    let count = 0;
    for (let start = 0; start < messages.length; start += maxUnanswered) {
      const some = messages.slice(start, start + maxUnanswered);
      const stored = await this.#withSession(({ client }) =>
        Promise.all(
          some.map((message) =>
            sent(client.publish(this.#work.subject(message.key), bodyOf(message), options(message))),
          ),
        ),
      );
      count += stored.filter(Boolean).length;
    }
    return count;
  }

  async #withSession<T>(work: (session: JetStreamSession) => Promise<T>): Promise<T> {
    const entry = await this.#currentSession();
    try {
      return await work(await entry.opening);
    } catch (thrown) {
      const error = unavailable(thrown);
      // The stream or the consumer may be gone, whatever failed: the next one looks, and makes them again.
      if (error.code !== "Cancelled" && this.#session === entry) this.#session = undefined;
      throw error;
    }
  }

  async #currentSession(): Promise<SessionEntry> {
    await this.#link.firstTry();
    const { connection } = this.#link;
    if (this.#session?.connection !== connection) {
      this.#session = { connection, opening: this.#openSession(connection) };
    }
    return this.#session;
  }

  async #openSession(connection: NatsConnection): Promise<JetStreamSession> {
    const session = await JetStreamSession.open(connection, this.#work);
    for (const callback of this.#lossCallbacks) callback();
    return session;
  }
}

/** A session, perhaps still being opened. */
interface SessionEntry {
  readonly connection: NatsConnection;
  readonly opening: Promise<JetStreamSession>;
}

function bodyOf({ key, generation }: BrokerMessage): string {
  return JSON.stringify({ key, generation });
}

const takenCodes: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

/** False when the stream has one already: the same, or another one for the key. */
async function sent(answer: Promise<PubAck>): Promise<boolean> {
  try {
    return !(await answer).duplicate;
  } catch (thrown) {
    if (thrown instanceof JetStreamApiError && takenCodes.has(thrown.code)) return false;
    throw thrown;
  }
}

function unavailable(thrown: unknown): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new BowlineError("BrokerUnavailable", `NATS cannot be used: ${why}.`, { cause: thrown });
}
