import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  withDeadline,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { TunnelConnection, type AcceptStream, type ByteChannel } from "@bowline/protocol";

export interface AgentTunnelOptions {
  /** Asks the server for a tunnel; resolves to what carries it. */
  readonly connect: (signal: AbortSignal) => Promise<ByteChannel>;
  readonly accept: AcceptStream;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/** How long the server may take to agree, on a connection of its own or else on that of the session. */
const connectLimitMs = 30_000;

/**
 * Keeps one tunnel of a session open: a tunnel that is lost while the session goes on is dialled again.
 *
 * States:
 * - `open`: there is a tunnel, or it is being dialled
 * - `draining`: nothing new; what is under way goes on
 * - `closed`: nothing is left
 */
export class AgentTunnel {
  readonly #options: AgentTunnelOptions;
  readonly #stop: AbortController;
  #current: TunnelConnection | undefined;
  #isDraining = false;

  constructor(options: AgentTunnelOptions) {
    this.#options = options;
    this.#stop = new AbortController();
    options.signal.addEventListener("abort", () => this.close(), { once: true });
    void this.#keep();
  }

  get isOpen(): boolean {
    return this.#current?.state === "open";
  }

  /** How many bytes have come from the server and wait to be taken by the API server. */
  get heldBytes(): number {
    return this.#current?.heldBytes ?? 0;
  }

  /** Lets no new streams begin; resolves when those under way are complete, or the tunnel is lost. */
  async drain(reason: string): Promise<void> {
    this.#isDraining = true;
    if (this.#current === undefined) this.#stop.abort();
    await this.#current?.drain(reason);
  }

  close(): void {
    this.#isDraining = true;
    this.#stop.abort();
    this.#current?.close();
  }

  async #keep(): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff(fullJitterBackoff, clock, random);
    const { signal } = this.#stop;
    while (!this.#isDraining) {
      try {
        await this.#hold(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, "The tunnel was lost; it is dialled again");
      }
      if (this.#isDraining) return;
      await clock.sleep(backoff.nextDelayMs(), signal).catch(() => {});
    }
  }

  /** Dials once, and waits for the end. */
  async #hold(signal: AbortSignal): Promise<void> {
    const { accept, clock } = this.#options;
    const channel = await this.#connect(signal);
    const ended = Promise.withResolvers<void>();
    try {
      this.#current = new TunnelConnection(channel, {
        clock,
        accept,
        onClosed: (error) => (error === undefined ? ended.resolve() : ended.reject(error)),
      });
      if (signal.aborted) this.#current.close();
      await ended.promise;
    } finally {
      this.#current = undefined;
    }
  }

  #connect(signal: AbortSignal): Promise<ByteChannel> {
    const { connect, clock } = this.#options;
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The server did not agree to a tunnel in time.");
    return withDeadline(connect, { clock, limitMs: connectLimitMs, signal, onTimeout });
  }
}
