import { BowlineError, withDeadline, type Clock, type Logger } from "@bowline/core";
import { TunnelConnection, type ByteChannel, type TunnelConnectionOptions } from "@bowline/protocol";

/** For both ends of a connection between replicas: it carries the streams of many tunnels, over a network that is near. */
export const peerTunnelOptions = {
  limits: { maxStreams: 16_384 },
  keepAliveMs: 5_000,
  silenceLimitMs: 15_000,
} as const satisfies Partial<TunnelConnectionOptions>;

export interface PeerLinkOptions {
  /** Names the replica it leads to. */
  readonly replica: string;
  /** Connects to it. */
  readonly dial: (signal: AbortSignal) => Promise<ByteChannel>;
  /** The replica takes no more requests, or is gone. */
  readonly onLeft: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A replica that lives answers at once; a client waits for as long as this one waits for a dead one. */
const connectLimitMs = 2_000;
/** So long after a failure, nobody waits for another one. */
const restMs = 1_000;

/** The one connection to another replica: made when it is first needed, kept, and made again when it is needed again. */
export class PeerLink {
  readonly #options: PeerLinkOptions;
  readonly #stop = new AbortController();
  /** Every tunnel that is open, draining ones among them. */
  readonly #tunnels = new Set<TunnelConnection>();
  #current: TunnelConnection | undefined;
  #connecting: Promise<TunnelConnection> | undefined;
  #failure: { readonly error: BowlineError; readonly atMs: number } | undefined;

  constructor(options: PeerLinkOptions) {
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
      ...peerTunnelOptions,
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
