import { violation, type OrderTracker } from "../message-order.ts";
import type { AnswerMessage } from "../order-tables.ts";
import type { HeaderList } from "./http-head.ts";
import { ReceiveQueue, unpinned } from "./receive-queue.ts";
import { ReceiveWindow, type WindowHost } from "./receive-window.ts";

interface IncomingHalfOptions {
  readonly order: OrderTracker<string, AnswerMessage>;
  readonly host: WindowHost;
  readonly data: (chunk: Buffer) => boolean;
  readonly end: (trailers: HeaderList) => void;
  /** Allow the other side so many bytes more. */
  readonly grant: (bytes: number) => void;
  /** The bytes that wait unread have become more or fewer. */
  readonly heldBytesChanged: (by: number) => void;
}

/** The receiving half of a stream: bytes go to the reader at once, or are kept, up to the window, while it is busy. */
export class IncomingHalf {
  readonly #options: IncomingHalfOptions;
  readonly #window: ReceiveWindow;
  readonly #queue = new ReceiveQueue();
  #paused = false;
  /** END came while bytes were still waiting. */
  #heldTrailers: HeaderList | undefined;

  constructor(options: IncomingHalfOptions) {
    this.#options = options;
    this.#window = new ReceiveWindow(options.host);
  }

  get heldBytes(): number {
    return this.#queue.bytes;
  }

  data(piece: Buffer): void {
    this.#options.order.accept("DATA");
    if (!this.#window.arrived(piece.length)) throw violation("More DATA came than the window allows.");
    if (piece.length === 0) return;
    if (!this.#paused) return this.#deliver(unpinned(piece));
    this.#queue.push(piece);
    this.#options.heldBytesChanged(piece.length);
  }

  end(trailers: HeaderList): void {
    this.#options.order.accept("END");
    if (this.#queue.bytes > 0) this.#heldTrailers = trailers;
    else this.#options.end(trailers);
  }

  resume(): void {
    this.#paused = false;
    while (!this.#paused) {
      const piece = this.#queue.shift();
      if (piece === undefined) break;
      this.#options.heldBytesChanged(-piece.length);
      this.#deliver(piece);
    }
    if (this.#queue.bytes > 0 || this.#heldTrailers === undefined) return;
    const trailers = this.#heldTrailers;
    this.#heldTrailers = undefined;
    this.#options.end(trailers);
  }

  /** Nothing more will come; what is here can still be read. */
  closeWindow(): void {
    this.#window.close();
  }

  /** Nobody will read what is here. */
  drop(): void {
    this.#heldTrailers = undefined;
    const { bytes } = this.#queue;
    // First, because whoever is told asks how much is left.
    this.#queue.clear();
    this.#options.heldBytesChanged(-bytes);
  }

  #deliver(chunk: Buffer): void {
    if (!this.#options.data(chunk)) this.#paused = true;
    const grant = this.#window.taken(chunk.length);
    if (grant > 0) this.#options.grant(grant);
  }
}
