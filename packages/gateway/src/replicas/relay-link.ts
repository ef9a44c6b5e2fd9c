import { BowlineError, withDeadline, type Clock, type Logger } from "@bowline/core";
import { TunnelConnection, type ByteChannel } from "@bowline/protocol";

import { relayOptions } from "./relay-limits.ts";

export interface RelayLinkOptions {
  /** Names the replica it leads to. */
  readonly replica: string;
  /** Connects to it. */
  readonly dial: (signal: AbortSignal) => Promise<ByteChannel>;
  /** The replica takes no more requests, or is gone. */
  readonly onLeft: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A replica that lives answers at once; who waits for one that does not has a client who waits too. */
const connectLimitMs = 2_000;
/** So long after a failure, nobody waits for another one. */
const restMs = 1_000;

/** The one connection to another replica: made when it is first needed, kept, and made again when it is needed again. */
export class RelayLink {
  readonly #options: RelayLinkOptions;
  readonly #stop = new AbortController();
  /** Those that drain among them. */
  readonly #tunnels = new Set<TunnelConnection>();
  #current: TunnelConnection | undefined;
  #connecting: Promise<TunnelConnection> | undefined;
  #failure: { readonly error: BowlineError; readonly atMs: number } | undefined;

  constructor(options: RelayLinkOptions) {
    this.#options = options;
  }

  get replica(): string {
    return this.#options.replica;
  }

  /** Where requests can be opened now. */
  get tunnel(): TunnelConnection | undefined {
    return this.#current?.state === "open" ? this.#current : undefined;
  }

  /** Connects, unless it is. Rejects at once when that has failed a moment ago. */
  async connect(): Promise<TunnelConnection> {
    if (this.tunnel !== undefined) return this.tunnel;
    const { error, atMs } = this.#failure ?? { error: undefined, atMs: 0 };
    if (error !== undefined && this.#options.clock.monotonicMs() - atMs < restMs) throw error;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Lets no new requests begin; resolves when those under way are complete. */
  async drain(reason: string): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#tunnels].map((tunnel) => tunnel.drain(reason)));
  }

  close(): void {
    this.#stop.abort();
    for (const tunnel of this.#tunnels) tunnel.close();
  }

  async #connect(): Promise<TunnelConnection> {
    const { clock, logger, replica } = this.#options;
    try {
      this.#stop.signal.throwIfAborted();
      const tunnel = await withDeadline((signal) => this.#open(signal), {
        clock,
        limitMs: connectLimitMs,
        signal: this.#stop.signal,
        onTimeout: () => new BowlineError("Timeout", `The replica ${replica} does not answer.`),
      });
      this.#current = tunnel;
      this.#failure = undefined;
      return tunnel;
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      this.#failure = { error, atMs: clock.monotonicMs() };
      if (!this.#stop.signal.aborted) logger.warn({ err: error, replica }, "A replica cannot be reached");
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<TunnelConnection> {
    const { dial, clock, onLeft } = this.#options;
    const tunnel = new TunnelConnection(await dial(signal), {
      ...relayOptions,
      clock,
      onDraining: onLeft,
      onClosed: () => {
        this.#tunnels.delete(tunnel);
        onLeft();
      },
    });
    this.#tunnels.add(tunnel);
    return tunnel;
  }
}
