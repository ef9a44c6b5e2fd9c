import { violation, type OrderTracker } from "../message-order.ts";
import type { AnswerMessage } from "../order-tables.ts";
import { encodeEnd, type BodyWriter } from "./body-codec.ts";
import { bodyTag, initialWindowBytes } from "./frame.ts";
import type { HeaderList } from "./http-head.ts";
import type { OutgoingBatch } from "./outgoing-batch.ts";
import type { Sender } from "./send-scheduler.ts";

/** A credit that no honest peer grants. */
const maxCreditBytes = 2 ** 31 - 1;

interface OutgoingHalfOptions {
  readonly stream: number;
  readonly order: OrderTracker<string, AnswerMessage>;
  /** Above this, `write` says "wait". */
  readonly sendBufferBytes: number;
  readonly ready: (sender: Sender) => void;
  /** There is room again. */
  readonly drained: () => void;
  /** END went out. */
  readonly ended: () => void;
}

/** The sending half of a stream: DATA as far as the window allows, then END. */
export class OutgoingHalf implements Sender {
  isReady = false;
  readonly #options: OutgoingHalfOptions;
  readonly #queue = new SendQueue();
  #credit = initialWindowBytes;
  /** From `end()` until END is in a batch. */
  #last: BodyWriter | undefined;
  #endWritten = false;
  #waitsForRoom = false;

  constructor(options: OutgoingHalfOptions) {
    this.#options = options;
  }

  write(chunk: Buffer): boolean {
    const { order, ready, sendBufferBytes } = this.#options;
    order.accept("DATA");
    this.#queue.push(chunk);
    if (this.#credit > 0) ready(this);
    this.#waitsForRoom = this.#queue.bytes >= sendBufferBytes;
    return !this.#waitsForRoom;
  }

  end(trailers: HeaderList): void {
    const last = encodeEnd(trailers);
    this.#options.order.accept("END");
    this.#last = last;
    if (this.#queue.bytes === 0) this.#options.ready(this);
  }

  /** The other side is ready for more bytes. */
  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > maxCreditBytes) throw violation("A WINDOW is larger than any window may be.");
    if (this.#queue.bytes > 0) this.#options.ready(this);
  }

  fill(batch: OutgoingBatch, quantumBytes: number): boolean {
    const { stream } = this.#options;
    const bytes = Math.min(this.#queue.bytes, this.#credit, quantumBytes);
    if (bytes > 0) {
      this.#credit -= bytes;
      batch.beginFrame(stream, bodyTag.data, bytes);
      this.#queue.moveTo(batch, bytes);
    }
    if (this.#queue.bytes > 0) return this.#credit > 0;
    if (this.#last !== undefined) {
      batch.appendFrame(stream, bodyTag.end, this.#last);
      this.#last = undefined;
      this.#endWritten = true;
    }
    return false;
  }

  filled(): void {
    if (this.#endWritten) return this.#options.ended();
    if (this.#waitsForRoom && this.#queue.bytes * 2 <= this.#options.sendBufferBytes) this.#sayRoom();
  }

  /** Nobody to send to any more: whoever waits for room need not. */
  close(): void {
    this.#queue.clear();
    this.#last = undefined;
    if (this.#waitsForRoom) this.#sayRoom();
  }

  #sayRoom(): void {
    this.#waitsForRoom = false;
    this.#options.drained();
  }
}

/** Chunks of one stream that wait to be sent. */
class SendQueue {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Appends exactly `bytes` bytes to the batch, cutting the last chunk where it must. */
  moveTo(batch: OutgoingBatch, bytes: number): void {
    this.#bytes -= bytes;
    let rest = bytes;
    let taken = 0;
    for (const chunk of this.#chunks) {
      if (chunk.length > rest) {
        if (rest > 0) {
          batch.append(chunk.subarray(0, rest));
          this.#chunks[taken] = chunk.subarray(rest);
        }
        break;
      }
      batch.append(chunk);
      rest -= chunk.length;
      taken++;
    }
    if (taken === this.#chunks.length) this.#chunks.length = 0;
    else if (taken > 0) this.#chunks.splice(0, taken);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
  }
}
