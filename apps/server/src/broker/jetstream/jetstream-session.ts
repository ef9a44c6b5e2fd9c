import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

import { BowlineError } from "@bowline/core";

import type { WorkStream } from "./work-stream.ts";

/** A request that is not answered within this time has failed. */
export const answerLimitMs = 5_000;

/** A connection on which the stream is known to exist. It is given up when something turns out to be gone. */
export class JetStreamSession {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #work: WorkStream;
  readonly #consumers = new Map<string, Promise<void>>();

  static async open(connection: NatsConnection, work: WorkStream): Promise<JetStreamSession> {
    requireVersion(connection);
    const options = { timeout: answerLimitMs };
    const manager = await jetstreamManager(connection, { ...options, checkAPI: false });
    await work.ensure(manager);
    return new JetStreamSession({ connection, client: jetstream(connection, options), manager, work });
  }

  private constructor(parts: {
    readonly connection: NatsConnection;
    readonly client: JetStreamClient;
    readonly manager: JetStreamManager;
    readonly work: WorkStream;
  }) {
    this.connection = parts.connection;
    this.client = parts.client;
    this.#manager = parts.manager;
    this.#work = parts.work;
  }

  /** Resolves when the consumer of the kind exists. */
  async requireConsumer(kind: string): Promise<void> {
    const known = this.#consumers.get(kind);
    if (known !== undefined) return known;
    const ensured = this.#work.ensureConsumer(this.#manager, kind);
    this.#consumers.set(kind, ensured);
    // A failure is not to be remembered.
    ensured.catch(() => this.#consumers.delete(kind));
    return ensured;
  }
}

function requireVersion(connection: NatsConnection): void {
  const version = connection.info?.version ?? "";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 9)) return;
  throw new BowlineError("BrokerUnavailable", `NATS is ${version}, but 2.9 or newer is needed.`);
}
