import { BowlineError } from "@bowline/core";

import { encodeDrain, encodeOpen, encodeReset, type BodyWriter } from "./body-codec.ts";
import type { ByteChannel } from "./byte-channel.ts";
import { MultiplexedStream, type StreamHost } from "./multiplexed-stream.ts";
import { bodyTag, maxDataBytes } from "./frame.ts";
import { FrameDecoder } from "./frame-decoder.ts";
import { FrameRouter } from "./frame-router.ts";
import type { RequestHead } from "./http-head.ts";
import { KeepAlive } from "./keep-alive.ts";
import { SendScheduler } from "./send-scheduler.ts";
import { StreamTable } from "./stream-table.ts";
import { TunnelMemory } from "./tunnel-memory.ts";
import {
  defaultTunnelLimits,
  type OpenOptions,
  type TunnelConnectionOptions,
  type TunnelLimits,
} from "./tunnel-options.ts";
import type { StreamHandler, TunnelStream } from "./tunnel-stream.ts";

/** The last number a stream may have. A tunnel that gets there has to be replaced by a new one. */
const maxStreamId = 2 ** 32 - 1;

/** How long a tunnel that closes may take to send its last bytes. */
const closeLimitMs = 5000;

/**
 * Many streams over one channel. Both sides are alike but for one thing: the server's opens streams, the agent's
 * accepts them.
 *
 * States:
 * - `open`: streams come and go
 * - `draining`: a side said DRAIN; no new streams, those under way go on
 * - `closed`: every stream has been told, the channel is closing or gone
 */
export class TunnelConnection {
  readonly #options: TunnelConnectionOptions;
  readonly #limits: TunnelLimits;
  readonly #channel: ByteChannel;
  readonly #table = new StreamTable();
  readonly #scheduler: SendScheduler;
  readonly #keepAlive: KeepAlive;
  readonly #memory: TunnelMemory;
  readonly #host: StreamHost;
  readonly #decoder: FrameDecoder;
  readonly #drained = Promise.withResolvers<void>();
  #heldBytes = 0;
  #receivedBytes = 0;
  #drainSent = false;
  #drainReceived = false;
  #closed = false;
  #cancelCloseLimit: (() => void) | undefined;

  constructor(channel: ByteChannel, options: TunnelConnectionOptions) {
    this.#options = options;
    this.#limits = { ...defaultTunnelLimits, ...options.limits };
    this.#channel = channel;
    this.#scheduler = new SendScheduler({
      channel,
      limits: { ...this.#limits, quantumBytes: Math.min(this.#limits.quantumBytes, maxDataBytes) },
      defer: options.defer ?? ((run) => setImmediate(run)),
    });
    this.#memory = options.memory ?? new TunnelMemory(this.#limits.maxBufferedBytes);
    this.#keepAlive = new KeepAlive({
      clock: options.clock,
      intervalMs: options.keepAliveMs ?? 15_000,
      timeoutMs: options.silenceLimitMs ?? 45_000,
      ping: (value) => this.#sendNumber(0, bodyTag.ping, value),
      silent: () =>
        this.#lose(new BowlineError("Timeout", "Nothing was heard from the other side for too long.")),
    });
    this.#host = this.#makeHost();
    this.#decoder = new FrameDecoder(this.#makeRouter());
    channel.start({
      data: (chunk) => this.#receive(chunk),
      closed: (error) => this.#channelClosed(error),
    });
    this.#keepAlive.start();
  }

  get state(): "open" | "draining" | "closed" {
    if (this.#closed) return "closed";
    return this.#drainSent || this.#drainReceived ? "draining" : "open";
  }

  /** How many streams are under way. */
  get streams(): number {
    return this.#table.size;
  }

  /** How many bytes have arrived and wait for their readers. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** How many bytes have come over the channel, frames and all. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** How many bytes were given to the channel. */
  get sentBytes(): number {
    return this.#scheduler.sentBytes;
  }

  /** The shortest of the last round trips; undefined before the first. */
  get roundTripMs(): number | undefined {
    return this.#keepAlive.roundTripMs;
  }

  /**
   * Begins a stream. Throws `TunnelLost` or `TunnelDraining` when there can be no new ones here, `TooManyRequests`
   * when there are enough; nothing was sent then.
   */
  open(head: RequestHead, handler: StreamHandler, { hasBody = false }: OpenOptions = {}): TunnelStream {
    this.#checkMayOpen();
    const body = encodeOpen(head, !hasBody);
    const id = this.#table.lastId + 1;
    const stream = new MultiplexedStream({ id, host: this.#host, opener: true });
    this.#table.use(id);
    this.#table.add(stream);
    this.#send(id, bodyTag.open, body);
    stream.start(handler, !hasBody);
    return stream;
  }

  /**
   * Lets no new streams begin, on either side. Resolves when those under way are complete, or the tunnel is lost; who
   * does not want to wait for ever closes it.
   */
  drain(reason = ""): Promise<void> {
    this.#sendDrain(reason);
    this.#settleDrain();
    return this.#drained.promise;
  }

  /** Ends the streams under way with an error, and the channel. */
  close(): void {
    if (this.#closed) return;
    this.#scheduler.flush();
    this.#shut(new BowlineError("TunnelLost", "The tunnel was closed."), undefined);
    this.#channel.end();
    this.#cancelCloseLimit = this.#options.clock.after(closeLimitMs, () => this.#channel.destroy());
  }

  #checkMayOpen(): void {
    if (this.#options.accept !== undefined) {
      throw new BowlineError("Internal", "Only the server's side of a tunnel opens streams.");
    }
    if (this.#closed) throw new BowlineError("TunnelLost", "The tunnel is closed.");
    if (this.#drainSent || this.#drainReceived || this.#table.lastId === maxStreamId) {
      throw new BowlineError(
        "TunnelDraining",
        "The tunnel takes no new streams, because a side of it is going away.",
      );
    }
    if (this.#table.size >= this.#limits.maxStreams) {
      const { maxStreams } = this.#limits;
      throw new BowlineError("TooManyRequests", `The tunnel carries ${maxStreams} streams already.`);
    }
    if (this.#scheduler.control.bytes * 2 > this.#limits.maxControlBacklogBytes) {
      throw new BowlineError("TooManyRequests", "The tunnel is congested.");
    }
  }

  #makeHost(): StreamHost {
    const { maxWindowBytes, sendBufferBytes } = this.#limits;
    const { budget, held } = this.#memory;
    return {
      budget,
      maxWindowBytes,
      sendBufferBytes,
      roundTripMs: () => this.#keepAlive.roundTripMs,
      nowMs: () => this.#options.clock.monotonicMs(),
      ready: (sender) => this.#scheduler.ready(sender),
      sendHeaders: (stream, body) => this.#send(stream, bodyTag.headers, body),
      sendWindow: (stream, bytes) => this.#sendNumber(stream, bodyTag.window, bytes),
      sendReset: (stream, reason, message) => this.#send(stream, bodyTag.reset, encodeReset(reason, message)),
      heldBytesChanged: (stream, by) => {
        this.#heldBytes += by;
        held.changed(stream, by);
      },
      over: (stream) => {
        this.#table.remove(stream);
        this.#settleDrain();
      },
    };
  }

  #makeRouter(): FrameRouter {
    return new FrameRouter({
      table: this.#table,
      host: this.#host,
      maxStreams: this.#limits.maxStreams,
      accept: this.#options.accept,
      ping: (value) => this.#sendNumber(0, bodyTag.pong, value),
      pong: (value) => this.#keepAlive.pong(value),
      drain: (reason) => this.#receiveDrain(reason),
    });
  }

  #send(stream: number, tag: number, body: BodyWriter): void {
    this.#scheduler.control.appendFrame(stream, tag, body);
    this.#afterControl();
  }

  #sendNumber(stream: number, tag: number, value: number): void {
    this.#scheduler.control.appendNumberFrame(stream, tag, value);
    this.#afterControl();
  }

  #afterControl(): void {
    this.#scheduler.flushSoon();
    if (this.#scheduler.control.bytes <= this.#limits.maxControlBacklogBytes) return;
    this.#lose(
      new BowlineError("TunnelLost", "The other side makes us answer, but does not read the answers."),
    );
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    this.#receivedBytes += chunk.length;
    this.#keepAlive.heard();
    try {
      this.#decoder.push(chunk);
    } catch (error) {
      this.#lose(BowlineError.from(error));
    }
  }

  #receiveDrain(reason: string): void {
    if (this.#drainReceived) return;
    this.#drainReceived = true;
    // The side that opens streams answers, so that the other one knows: nothing more is under way to it.
    if (this.#options.accept === undefined) this.#sendDrain(reason);
    this.#settleDrain();
    this.#options.onDraining?.(reason);
  }

  #sendDrain(reason: string): void {
    if (this.#drainSent || this.#closed) return;
    this.#drainSent = true;
    this.#send(0, bodyTag.drain, encodeDrain(reason));
  }

  #settleDrain(): void {
    const noneCanCome = this.#drainSent && (this.#options.accept === undefined || this.#drainReceived);
    if (this.#closed || (noneCanCome && this.#table.size === 0)) this.#drained.resolve();
  }

  #channelClosed(cause: Error | undefined): void {
    this.#cancelCloseLimit?.();
    const options = cause === undefined ? {} : { cause };
    this.#lose(new BowlineError("TunnelLost", "The connection that carried the tunnel is gone.", options));
  }

  #lose(error: BowlineError): void {
    if (this.#closed) return;
    const lost =
      error.code === "TunnelLost"
        ? error
        : new BowlineError("TunnelLost", `The tunnel was lost: ${error.message}`, { cause: error });
    this.#shut(lost, error);
    this.#channel.destroy(error);
  }

  #shut(forStreams: BowlineError, reason: BowlineError | undefined): void {
    this.#closed = true;
    this.#keepAlive.stop();
    for (const stream of this.#table.values()) stream.lose(forStreams);
    this.#scheduler.close();
    this.#settleDrain();
    this.#options.onClosed?.(reason);
  }
}
