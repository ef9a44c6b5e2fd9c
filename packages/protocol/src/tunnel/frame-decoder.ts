import {
  decodeDrain,
  decodeEnd,
  decodeHeaders,
  decodeNumber,
  decodeOpen,
  decodeReset,
  type OpenBody,
  type ResetBody,
} from "./body-codec.ts";
import { bodyTag, maxFrameHeaderBytes, parseFrameHeader, type FrameHeader } from "./frame.ts";
import type { AnswerHead, HeaderList } from "./http-head.ts";

/** The receiver of what a decoder finds, in the order it arrives. */
export interface FrameSink {
  open(stream: number, body: OpenBody): void;
  headers(stream: number, head: AnswerHead): void;
  /** A piece of a DATA frame, as soon as it is here. It is a view of the chunk that was pushed. */
  data(stream: number, piece: Buffer): void;
  window(stream: number, bytes: number): void;
  end(stream: number, trailers: HeaderList): void;
  reset(stream: number, body: ResetBody): void;
  ping(value: number): void;
  pong(value: number): void;
  drain(reason: string): void;
  /** The frame could be told from its neighbours, but its body makes no sense: only its stream is spoilt. */
  malformed(stream: number, error: unknown): void;
}

const empty = Buffer.alloc(0);

/**
 * Takes bytes in chunks of any size and hands over frames. DATA is never put together: each piece goes on as it comes.
 * Other frames are small and wait until they are complete.
 *
 * States:
 * - between frames: `#remaining` is 0; `#waiting` holds the bytes of a header that is not complete
 * - in a body: `#remaining` bytes of it are still to come; those of DATA are passed on, those of an unknown kind are
 *   passed over, those of the others are collected in `#body`
 */
export class FrameDecoder {
  readonly #sink: FrameSink;
  readonly #header: FrameHeader = { kind: 0, stream: 0, bodyBytes: 0 };
  readonly #waiting = Buffer.allocUnsafe(maxFrameHeaderBytes);
  #waitingBytes = 0;
  #remaining = 0;
  #body: Buffer | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Throws `ProtocolViolation` when the bytes cannot be a sequence of frames; then nothing more can be read. */
  push(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length) {
      offset = this.#remaining > 0 ? this.#readBody(chunk, offset) : this.#readHeader(chunk, offset);
    }
  }

  #readHeader(chunk: Buffer, offset: number): number {
    if (this.#waitingBytes > 0) return this.#completeHeader(chunk, offset);
    const size = parseFrameHeader(chunk, offset, chunk.length, this.#header);
    if (size > 0) return this.#beginBody(offset + size);
    this.#waitingBytes = chunk.copy(this.#waiting, 0, offset);
    return chunk.length;
  }

  #completeHeader(chunk: Buffer, offset: number): number {
    const before = this.#waitingBytes;
    this.#waitingBytes += chunk.copy(this.#waiting, before, offset);
    const size = parseFrameHeader(this.#waiting, 0, this.#waitingBytes, this.#header);
    if (size === 0) return offset + this.#waitingBytes - before;
    this.#waitingBytes = 0;
    return this.#beginBody(offset + size - before);
  }

  #beginBody(offset: number): number {
    this.#remaining = this.#header.bodyBytes;
    if (this.#remaining === 0) this.#complete(empty);
    return offset;
  }

  #readBody(chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + this.#remaining);
    this.#remaining -= end - offset;
    const { kind, stream } = this.#header;
    if (kind === bodyTag.data) this.#sink.data(stream, chunk.subarray(offset, end));
    else if (kind !== 0) this.#collect(chunk.subarray(offset, end));
    return end;
  }

  #collect(piece: Buffer): void {
    if (this.#body === undefined && this.#remaining === 0) return this.#complete(piece);
    const total = this.#header.bodyBytes;
    this.#body ??= Buffer.allocUnsafe(total);
    piece.copy(this.#body, total - this.#remaining - piece.length);
    if (this.#remaining > 0) return;
    const body = this.#body;
    this.#body = undefined;
    this.#complete(body);
  }

  #complete(body: Buffer): void {
    const sink = this.#sink;
    const { kind, stream } = this.#header;
    switch (kind) {
      case bodyTag.data:
        return sink.data(stream, body);
      case bodyTag.open:
        return this.#decode(body, decodeOpen, (open) => sink.open(stream, open));
      case bodyTag.headers:
        return this.#decode(body, decodeHeaders, (head) => sink.headers(stream, head));
      case bodyTag.window:
        return this.#decode(body, decodeNumber, (bytes) => sink.window(stream, bytes));
      case bodyTag.end:
        return this.#decode(body, decodeEnd, (trailers) => sink.end(stream, trailers));
      case bodyTag.reset:
        return this.#decode(body, decodeReset, (reset) => sink.reset(stream, reset));
      case bodyTag.ping:
        return this.#decode(body, decodeNumber, (value) => sink.ping(value));
      case bodyTag.pong:
        return this.#decode(body, decodeNumber, (value) => sink.pong(value));
      case bodyTag.drain:
        return this.#decode(body, decodeDrain, (reason) => sink.drain(reason));
      default:
        return undefined;
    }
  }

  /** A failure of the sink must not be taken for a fault of the frame, so it is called outside of the `try`. */
  #decode<T>(body: Buffer, decode: (body: Buffer) => T, deliver: (decoded: T) => void): void {
    let decoded: T;
    try {
      decoded = decode(body);
    } catch (error) {
      return this.#sink.malformed(this.#header.stream, error);
    }
    deliver(decoded);
  }
}
