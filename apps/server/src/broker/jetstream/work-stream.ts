import { BowlineError } from "@bowline/core";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";

export interface WorkStreamOptions {
  /** Tells the installations apart that share a NATS. */
  readonly name: string;
  readonly ackWaitMs: number;
}

/** How long a message id is remembered: replicas tell of the same change within about a second. */
const dedupeWindowMs = 60_000;
/** A key and a generation take far less. */
const maxMessageBytes = 4_096;

/**
 * The stream that all kinds share and its consumers, one per kind.
 *
 * A subject per key with one message each bounds the stream by the number of objects, however long nobody takes
 * anything, and lets the server itself refuse a message for a key it has.
 */
export class WorkStream {
  readonly stream: string;
  readonly #prefix: string;
  readonly #ackWaitMs: number;

  constructor({ name, ackWaitMs }: WorkStreamOptions) {
    this.stream = `${name}-work`;
    this.#prefix = `${name}.work`;
    this.#ackWaitMs = ackWaitMs;
  }

  /** The subject of a key, `Kind/name`. */
  subject(key: string): string {
    return `${this.#prefix}.${key.split("/").map(subjectToken).join(".")}`;
  }

  /** Where to ask for the messages of a kind. */
  pullSubject(kind: string): string {
    return `$JS.API.CONSUMER.MSG.NEXT.${this.stream}.${kind}`;
  }

  /** Makes the stream unless there is one, and brings its settings up to date. */
  async ensure(manager: JetStreamManager): Promise<void> {
    const found = await unlessMissing(manager.streams.info(this.stream));
    const wanted = this.#streamConfig();
    if (found === undefined) return void (await manager.streams.add(wanted));
    const { config } = found;
    if (config.retention !== wanted.retention || config.storage !== wanted.storage) {
      throw new BowlineError(
        "BrokerUnavailable",
        `NATS has a stream "${this.stream}" that is not Bowline's; give one of them another name.`,
      );
    }
    // Everything else, such as replicas and placement, is the operator's.
    if (differs(config, wanted)) await manager.streams.update(this.stream, { ...config, ...wanted });
  }

  async ensureConsumer(manager: JetStreamManager, kind: string): Promise<void> {
    const found = await unlessMissing(manager.consumers.info(this.stream, kind));
    const wanted = this.#consumerConfig(kind);
    if (found === undefined) await manager.consumers.add(this.stream, wanted);
    else if (differs(found.config, wanted)) await manager.consumers.update(this.stream, kind, wanted);
  }

  #streamConfig(): Partial<StreamConfig> & Pick<StreamConfig, "name"> {
    return {
      name: this.stream,
      subjects: [`${this.#prefix}.>`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_msgs_per_subject: 1,
      max_msg_size: maxMessageBytes,
      duplicate_window: nanos(dedupeWindowMs),
    };
  }

  #consumerConfig(kind: string): Partial<ConsumerConfig> & Pick<ConsumerConfig, "durable_name"> {
    return {
      durable_name: kind,
      filter_subject: `${this.#prefix}.${subjectToken(kind)}.>`,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(this.#ackWaitMs),
      // The server would keep what it stops delivering, and with it the place of its key; `JetStreamSource` counts.
      max_deliver: -1,
      // A message that waits for its retry counts as pending: any limit would let those that fail hold up the others.
      max_ack_pending: -1,
    };
  }
}

/** Names are DNS labels and pass as they are; anything else stays one token and unique. */
function subjectToken(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, (character) => `=${character.codePointAt(0)?.toString(16)}=`);
}

function differs(found: object, wanted: object): boolean {
  const values = new Map<string, unknown>(Object.entries(found));
  return Object.entries(wanted).some(
    ([name, value]) => JSON.stringify(values.get(name)) !== JSON.stringify(value),
  );
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

const missingCodes: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamNotFound,
  JetStreamApiCodes.ConsumerNotFound,
]);

/** Whether the server says that the stream or the consumer is not there. */
function isMissing(thrown: unknown): boolean {
  return thrown instanceof JetStreamApiError && missingCodes.has(thrown.code);
}
