import { violation } from "../message-order.ts";
import type { OpenBody, ResetBody } from "./body-codec.ts";
import { Exchange, type ExchangeHost } from "./exchange.ts";
import type { FrameSink } from "./frame-decoder.ts";
import type { AnswerHead, HeaderList } from "./http-head.ts";
import type { StreamTable } from "./stream-table.ts";
import type { AcceptStream } from "./tunnel-options.ts";

export interface FrameRouterOptions {
  readonly table: StreamTable;
  readonly host: ExchangeHost;
  readonly maxStreams: number;
  /** Absent on the side that opens streams. */
  readonly accept: AcceptStream | undefined;
  readonly ping: (value: number) => void;
  readonly pong: (value: number) => void;
  readonly drain: (reason: string) => void;
}

/**
 * Brings each frame to its stream. What is wrong with a stream ends that stream; only a frame that belongs to none
 * though it should throws, which ends the tunnel.
 */
export class FrameRouter implements FrameSink {
  readonly #options: FrameRouterOptions;
  /** The other side said that it opens no more. */
  #noMore = false;

  constructor(options: FrameRouterOptions) {
    this.#options = options;
  }

  open(stream: number, { head, end }: OpenBody): void {
    const { accept } = this.#options;
    const refusal = this.#whyNotOpen(stream);
    if (refusal !== undefined || accept === undefined) return refusal?.();
    const { table, host } = this.#options;
    const exchange = new Exchange({ id: stream, host, opener: false });
    table.use(stream);
    table.add(exchange);
    try {
      exchange.start(accept(exchange, head, !end), end);
    } catch (error) {
      exchange.fail(error);
    }
  }

  headers(stream: number, head: AnswerHead): void {
    this.#find(stream)?.receiveHeaders(head);
  }

  data(stream: number, piece: Buffer): void {
    this.#find(stream)?.receiveData(piece);
  }

  window(stream: number, bytes: number): void {
    this.#find(stream)?.receiveWindow(bytes);
  }

  end(stream: number, trailers: HeaderList): void {
    this.#find(stream)?.receiveEnd(trailers);
  }

  reset(stream: number, { reason, message }: ResetBody): void {
    // Never answered, or two sides could go on answering each other for ever.
    this.#options.table.get(stream)?.receiveReset(reason, message);
  }

  ping(value: number): void {
    this.#options.ping(value);
  }

  pong(value: number): void {
    this.#options.pong(value);
  }

  drain(reason: string): void {
    this.#noMore = true;
    this.#options.drain(reason);
  }

  malformed(stream: number, error: unknown): void {
    const exchange = this.#options.table.get(stream);
    if (exchange !== undefined) return exchange.fail(error);
    if (stream === 0) throw error;
    this.#refuse(stream, "protocol", error instanceof Error ? error.message : String(error));
  }

  #whyNotOpen(stream: number): (() => void) | undefined {
    const { table, accept, maxStreams } = this.#options;
    if (stream === 0) throw violation("A stream was opened without a number.");
    const exchange = table.get(stream);
    if (exchange !== undefined) {
      return () => exchange.fail(violation("A stream that is open was opened again."));
    }
    if (accept === undefined) return () => this.#refuse(stream, "protocol", "Only the server opens streams.");
    if (table.wasUsed(stream)) return () => this.#refuse(stream, "protocol", "A number was used again.");
    if (this.#noMore) return () => this.#refuse(stream, "protocol", "A stream was opened after DRAIN.");
    if (table.size < maxStreams) return undefined;
    return () => this.#refuse(stream, "refused", `This side takes at most ${maxStreams} streams at a time.`);
  }

  #find(stream: number): Exchange | undefined {
    const { table } = this.#options;
    const exchange = table.get(stream);
    if (exchange !== undefined) return exchange;
    if (stream === 0) throw violation("A frame that needs a stream has none.");
    if (!table.wasUsed(stream)) this.#refuse(stream, "protocol", "This stream was never opened.");
    return undefined;
  }

  #refuse(stream: number, reason: "protocol" | "refused", message: string): void {
    const { table, host, accept } = this.#options;
    // What follows for a stream that was refused is ignored rather than refused again.
    if (accept !== undefined && !table.wasUsed(stream)) table.use(stream);
    host.sendReset(stream, reason, message);
  }
}
