import type { ClientHttp2Session } from "node:http2";

import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  withDeadline,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { callTunnel, TunnelConnection, type AcceptStream, type ByteChannel } from "@bowline/protocol";

export interface AgentTunnelOptions {
  /** A connection to dial the tunnel on, and what to call when it is not needed any more. */
  readonly connect: (
    signal: AbortSignal,
  ) => Promise<{ readonly http2: ClientHttp2Session; readonly release: () => void }>;
  /** Metadata of one call. */
  readonly headers: () => Record<string, string>;
  readonly accept: AcceptStream;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/** How long the server may take to agree. */
const callLimitMs = 15_000;

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
    const { connect, accept, clock } = this.#options;
    const { http2, release } = await connect(signal);
    const ended = Promise.withResolvers<void>();
    try {
      const channel = await this.#call(http2, signal);
      this.#current = new TunnelConnection(channel, {
        clock,
        accept,
        onClosed: (error) => (error === undefined ? ended.resolve() : ended.reject(error)),
      });
      if (signal.aborted) this.#current.close();
      await ended.promise;
    } finally {
      this.#current = undefined;
      release();
    }
  }

  #call(http2: ClientHttp2Session, signal: AbortSignal): Promise<ByteChannel> {
    const { headers, clock } = this.#options;
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The server did not agree to a tunnel in time.");
    return withDeadline((limit) => callTunnel(http2, { headers: headers(), signal: limit }), {
      clock,
      limitMs: callLimitMs,
      signal,
      onTimeout,
    });
  }
}
