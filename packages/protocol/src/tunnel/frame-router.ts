import { violation } from "../message-order.ts";
import type { OpenBody, ResetBody } from "./body-codec.ts";
import { MultiplexedStream, type StreamHost } from "./multiplexed-stream.ts";
import type { FrameSink } from "./frame-decoder.ts";
import type { AnswerHead, HeaderList } from "./http-head.ts";
import type { StreamTable } from "./stream-table.ts";
import type { AcceptStream } from "./tunnel-options.ts";

interface FrameRouterOptions {
  readonly table: StreamTable;
  readonly host: StreamHost;
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

  open(id: number, { head, end }: OpenBody): void {
    const { accept } = this.#options;
    const refusal = this.#whyNotOpen(id);
    if (refusal !== undefined || accept === undefined) return refusal?.();
    const { table, host } = this.#options;
    const stream = new MultiplexedStream({ id, host, opener: false });
    table.use(id);
    table.add(stream);
    try {
      stream.start(accept(stream, head, !end), end);
    } catch (error) {
      stream.fail(error);
    }
  }

  headers(id: number, head: AnswerHead): void {
    this.#find(id)?.receiveHeaders(head);
  }

  data(id: number, piece: Buffer): void {
    this.#find(id)?.receiveData(piece);
  }

  window(id: number, bytes: number): void {
    this.#find(id)?.receiveWindow(bytes);
  }

  end(id: number, trailers: HeaderList): void {
    this.#find(id)?.receiveEnd(trailers);
  }

  reset(id: number, { reason, message }: ResetBody): void {
    // Never answered, or two sides could go on answering each other for ever.
    this.#options.table.get(id)?.receiveReset(reason, message);
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

  malformed(id: number, error: unknown): void {
    const stream = this.#options.table.get(id);
    if (stream !== undefined) return stream.fail(error);
    if (id === 0) throw error;
    this.#refuse(id, "protocol", error instanceof Error ? error.message : String(error));
  }

  #whyNotOpen(id: number): (() => void) | undefined {
    const { table, accept, maxStreams } = this.#options;
    if (id === 0) throw violation("A stream was opened without a number.");
    const stream = table.get(id);
    if (stream !== undefined) {
      return () => stream.fail(violation("A stream that is open was opened again."));
    }
    if (accept === undefined) return () => this.#refuse(id, "protocol", "Only the server opens streams.");
    if (table.wasUsed(id)) return () => this.#refuse(id, "protocol", "A number was used again.");
    if (this.#noMore) return () => this.#refuse(id, "protocol", "A stream was opened after DRAIN.");
    if (table.size < maxStreams) return undefined;
    return () => this.#refuse(id, "refused", `This side takes at most ${maxStreams} streams at a time.`);
  }

  #find(id: number): MultiplexedStream | undefined {
    const { table } = this.#options;
    const stream = table.get(id);
    if (stream !== undefined) return stream;
    if (id === 0) throw violation("A frame that needs a stream has none.");
    if (!table.wasUsed(id)) this.#refuse(id, "protocol", "This stream was never opened.");
    return undefined;
  }

  #refuse(id: number, reason: "protocol" | "refused", message: string): void {
    const { table, host, accept } = this.#options;
    // Frames that follow for a stream that was refused are ignored rather than refused again.
    if (accept !== undefined && !table.wasUsed(id)) table.use(id);
    host.sendReset(id, reason, message);
  }
}
