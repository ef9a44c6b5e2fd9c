import { Backoff, BowlineError, type Clock, type Random, type ResettingBackoffPolicy } from "@bowline/core";
import type { NatsConnection } from "@nats-io/transport-node";

export interface NatsLinkOptions {
  /** For messages. */
  readonly address: string;
  /** Connects once; must end within a few seconds. */
  readonly dial: () => Promise<NatsConnection>;
  /** Called with each new connection. */
  readonly onConnected?: (connection: NatsConnection) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** Spread over the whole delay: all replicas lose the same server at the same moment. */
const redialBackoff: ResettingBackoffPolicy = {
  baseMs: 250,
  maxMs: 10_000,
  factor: 2,
  jitter: 1,
  resetAfterMs: 10_000,
};

/**
 * A connection to NATS that is made again whenever it ends, for ever. The client could do that by itself, but not the
 * first time, and it would keep what is sent meanwhile; here whoever asks is told at once that there is none.
 */
export class NatsLink {
  readonly #options: NatsLinkOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #connection: NatsConnection | undefined;
  #error: unknown;
  #changed = Promise.withResolvers<void>();

  constructor(options: NatsLinkOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#connection?.isClosed() === false;
  }

  /** `BrokerUnavailable`, with why, while there is none. */
  get connection(): NatsConnection {
    if (this.#connection !== undefined && !this.#connection.isClosed()) return this.#connection;
    throw this.#unavailable();
  }

  /** Resolves when there is a connection, or the first try has failed. */
  async firstTry(): Promise<void> {
    if (this.#connection === undefined && this.#error === undefined) await this.#changed.promise;
  }

  #unavailable(): BowlineError {
    const why = this.#error instanceof Error ? this.#error.message : "there is no connection yet";
    const message = `NATS at ${this.#options.address} cannot be reached: ${why}.`;
    return new BowlineError("BrokerUnavailable", message, { cause: this.#error });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#connection?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const backoff = new Backoff(redialBackoff, clock, random);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#connectOnce();
      if (!signal.aborted) await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
    }
  }

  /** Lasts as long as the connection. */
  async #connectOnce(): Promise<void> {
    try {
      const connection = await this.#options.dial();
      this.#connection = connection;
      this.#options.onConnected?.(connection);
      this.#tell();
      if (this.#stop.signal.aborted) await connection.close();
      this.#error = (await connection.closed()) ?? new Error("the connection was closed");
    } catch (thrown) {
      this.#error = thrown;
    }
    this.#connection = undefined;
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
