import type { BodyWriter } from "./body-codec.ts";
import { messagePrefixBytes, streamTag } from "./frame.ts";
import { varintBytes, writeVarint } from "./protobuf-fields.ts";

/** Smaller pieces are copied, because handing a piece on its own through the layers below costs more than copying it. */
const copiedBytes = 4096;

/**
 * Small frames of all connections are written into one block after the other. A block is left to the garbage collector
 * when it is full, so an idle connection holds none.
 */
const blockBytes = 65_536;
const none = Buffer.alloc(0);
const block = { buffer: none, used: 0 };

/** Frames on their way out: as few buffers as possible, without copying large pieces of data. */
export class OutgoingBatch {
  #buffers: Buffer[] = [];
  #bytes = 0;
  /** The part of the block that grows as long as nothing else is written to the block. */
  #open = { buffer: none, start: 0, end: 0 };

  get bytes(): number {
    return this.#bytes;
  }

  /** A frame whose body is more than a number. */
  appendFrame(stream: number, tag: number, body: BodyWriter): void {
    const offset = this.#writeHeader(stream, tag, body.bytes, body.bytes);
    body.write(this.#open.buffer, offset);
  }

  /** A frame whose body is a number. */
  appendNumberFrame(stream: number, tag: number, value: number): void {
    const bytes = varintBytes(value);
    const at = this.#reserve(messagePrefixBytes + streamBytes(stream) + 1 + bytes);
    const target = this.#open.buffer;
    const offset = writePrefix(target, at, stream, 1 + bytes);
    target[offset] = tag;
    writeVarint(target, value, offset + 1);
  }

  /** The beginning of a frame whose `bodyBytes` are appended next, in pieces. */
  beginFrame(stream: number, tag: number, bodyBytes: number): void {
    this.#writeHeader(stream, tag, bodyBytes, 0);
  }

  append(piece: Buffer): void {
    if (piece.length <= copiedBytes) {
      const at = this.#reserve(piece.length);
      piece.copy(this.#open.buffer, at);
      return;
    }
    this.#close();
    this.#buffers.push(piece);
    this.#bytes += piece.length;
  }

  take(): Buffer[] {
    this.#close();
    const buffers = this.#buffers;
    this.#buffers = [];
    this.#bytes = 0;
    // Or the block of the last frame would live as long as the connection stays idle.
    this.#open = { buffer: none, start: 0, end: 0 };
    return buffers;
  }

  /** Returns where the body goes, for which it makes room as well when `room` says so. */
  #writeHeader(stream: number, tag: number, bodyBytes: number, room: number): number {
    const lengthBytes = varintBytes(bodyBytes);
    const at = this.#reserve(messagePrefixBytes + streamBytes(stream) + 1 + lengthBytes + room);
    const target = this.#open.buffer;
    const offset = writePrefix(target, at, stream, 1 + lengthBytes + bodyBytes);
    target[offset] = tag;
    return writeVarint(target, bodyBytes, offset + 1);
  }

  #reserve(bytes: number): number {
    const open = this.#open;
    const continues = open.buffer === block.buffer && open.end === block.used && open.end > open.start;
    if (!continues || block.used + bytes > block.buffer.length) this.#startAnew(bytes);
    const at = block.used;
    block.used += bytes;
    this.#open.end = block.used;
    this.#bytes += bytes;
    return at;
  }

  #startAnew(bytes: number): void {
    this.#close();
    if (block.used + bytes > block.buffer.length) {
      block.buffer = Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes));
      block.used = 0;
    }
    this.#open.buffer = block.buffer;
    this.#open.start = block.used;
    this.#open.end = block.used;
  }

  #close(): void {
    const { buffer, start, end } = this.#open;
    if (end === start) return;
    this.#buffers.push(buffer.subarray(start, end));
    this.#open.start = end;
  }
}

const streamBytes = (stream: number): number => (stream === 0 ? 0 : 5);

function writePrefix(target: Buffer, offset: number, stream: number, rest: number): number {
  target[offset] = 0;
  target.writeUInt32BE(streamBytes(stream) + rest, offset + 1);
  const at = offset + messagePrefixBytes;
  if (stream === 0) return at;
  target[at] = streamTag;
  return target.writeUInt32LE(stream, at + 1);
}
