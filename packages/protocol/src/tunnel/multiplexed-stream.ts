import { BowlineError, type TransientMember } from "@bowline/core";

import { violation, type OrderTracker } from "../message-order.ts";
import { answerOrder, requestOrder, type AnswerMessage } from "../order-tables.ts";
import { encodeHeaders, type BodyWriter } from "./body-codec.ts";
import { maxControlBytes } from "./frame.ts";
import type { AnswerHead, HeaderList } from "./http-head.ts";
import { IncomingHalf } from "./incoming-half.ts";
import { OutgoingHalf } from "./outgoing-half.ts";
import type { WindowHost } from "./receive-window.ts";
import type { Sender } from "./send-scheduler.ts";
import { resetError, type ResetReason, type StreamHandler, type TunnelStream } from "./tunnel-stream.ts";

/** The cost of an interim head to whoever holds it, however little is in it. */
const interimHeadBytes = 512;

/** The tunnel of a stream, as far as the stream needs it. */
export interface StreamHost extends WindowHost {
  readonly sendBufferBytes: number;
  ready(sender: Sender): void;
  sendHeaders(stream: number, body: BodyWriter): void;
  sendWindow(stream: number, bytes: number): void;
  sendReset(stream: number, reason: ResetReason, message: string): void;
  /** The bytes that wait unread in this stream have become more or fewer. */
  heldBytesChanged(stream: MultiplexedStream, by: number): void;
  /** Nothing more goes over the wire for this stream. */
  over(stream: MultiplexedStream): void;
}

interface MultiplexedStreamOptions {
  readonly id: number;
  readonly host: StreamHost;
  /** Whether this side opened the stream: it sends the request then, and receives the answer. */
  readonly opener: boolean;
}

/** One side of a stream: keeps the order, the windows and the end of it. */
export class MultiplexedStream implements TunnelStream, TransientMember {
  readonly id: number;
  slot = -1;
  readonly #host: StreamHost;
  readonly #opener: boolean;
  readonly #sending: OrderTracker<string, AnswerMessage>;
  readonly #receiving: OrderTracker<string, AnswerMessage>;
  readonly #outgoing: OutgoingHalf;
  readonly #incoming: IncomingHalf;
  #handler: StreamHandler | undefined;
  #interimBytes = 0;
  #endSent = false;
  #discarding = false;
  /** Nothing more goes over the wire; bytes that came may still wait to be read. */
  #over = false;

  constructor({ id, host, opener }: MultiplexedStreamOptions) {
    this.id = id;
    this.#host = host;
    this.#opener = opener;
    this.#sending = opener ? requestOrder.start() : answerOrder.start();
    this.#receiving = opener ? answerOrder.start() : requestOrder.start();
    (opener ? this.#sending : this.#receiving).accept("OPEN");
    this.#outgoing = new OutgoingHalf({
      stream: id,
      order: this.#sending,
      sendBufferBytes: host.sendBufferBytes,
      ready: (sender) => host.ready(sender),
      drained: () => this.#guard(() => this.#handler?.drain?.()),
      ended: () => this.#sentEnd(),
    });
    this.#incoming = new IncomingHalf({
      order: this.#receiving,
      host,
      data: (chunk) => this.#discarding || (this.#handler?.data(chunk) ?? true),
      end: (trailers) => (this.#discarding ? undefined : this.#handler?.end(trailers)),
      grant: (bytes) => this.#grant(bytes),
      heldBytesChanged: (by) => host.heldBytesChanged(this, by),
    });
  }

  get heldBytes(): number {
    return this.#incoming.heldBytes;
  }

  /** Before anything is received. `ended` when OPEN was the END of the request too. */
  start(handler: StreamHandler, ended: boolean): void {
    if (this.#over) return;
    this.#handler = handler;
    if (!ended) return;
    if (!this.#opener) return this.receiveEnd([]);
    this.#sending.accept("END");
    this.#sentEnd();
  }

  sendHeaders(head: AnswerHead): void {
    if (this.#over) return;
    const body = encodeHeaders(head);
    this.#accept(this.#sending, head);
    this.#host.sendHeaders(this.id, body);
  }

  write(chunk: Buffer): boolean {
    return this.#over || this.#outgoing.write(chunk);
  }

  end(trailers: HeaderList = []): void {
    if (!this.#over) this.#outgoing.end(trailers);
  }

  resume(): void {
    this.#guard(() => this.#incoming.resume());
  }

  discard(): void {
    this.#discarding = true;
    this.#incoming.drop();
    this.resume();
    this.#closeWhenComplete();
  }

  reset(reason: ResetReason, message = ""): void {
    this.#handler = undefined;
    this.#incoming.drop();
    if (this.#over) return;
    this.#host.sendReset(this.id, reason, message);
    this.#close();
  }

  receiveHeaders(head: AnswerHead): void {
    this.#guard(() => {
      this.#accept(this.#receiving, head);
      this.#handler?.headers?.(head);
    });
  }

  receiveData(piece: Buffer): void {
    this.#guard(() => this.#incoming.data(piece));
  }

  receiveEnd(trailers: HeaderList): void {
    this.#guard(() => this.#incoming.end(trailers));
    this.#closeWhenComplete();
  }

  receiveWindow(bytes: number): void {
    this.#guard(() => this.#outgoing.grant(bytes));
  }

  receiveReset(reason: ResetReason, message: string): void {
    this.lose(resetError(reason, message));
  }

  /** The stream broke a rule, or its handler threw: ends it on both sides. */
  fail(thrown: unknown): void {
    const error = BowlineError.from(thrown);
    if (error.code === "ProtocolViolation") return this.abort(error, "protocol");
    // The message of a bug is for this side's log, not for the other side.
    this.#end(error, "internal", "");
  }

  /** Ends the stream on both sides: this one is told the error, the other one the reason. */
  abort(error: BowlineError, reason: ResetReason): void {
    this.#end(error, reason, error.message);
  }

  /** Interim heads have no window; together they may be as large as one head, or there would be no end to them. */
  #accept(order: OrderTracker<string, AnswerMessage>, head: AnswerHead): void {
    const message = messageOf(head);
    if (message === "INTERIM HEADERS") {
      this.#interimBytes += head.headers.reduce((bytes, text) => bytes + text.length, interimHeadBytes);
      if (this.#interimBytes > maxControlBytes) throw violation("An answer has too many interim heads.");
    }
    order.accept(message);
  }

  #end(error: BowlineError, reason: ResetReason, message: string): void {
    if (!this.#over) this.#host.sendReset(this.id, reason, message);
    this.#tell(error);
    this.#close();
  }

  /** The other side is gone, or gave this stream up. */
  lose(error: BowlineError): void {
    // An owner that has the whole answer has got what it asked for; the bytes still to be read can be.
    const received = this.#discarding || this.#receiving.state === "ended";
    const complete = received && (this.#opener || this.#sending.state === "ended");
    if (!complete) this.#tell(error);
    this.#close();
  }

  #tell(error: BowlineError): void {
    const handler = this.#handler;
    this.#handler = undefined;
    this.#incoming.drop();
    try {
      handler?.error(error);
    } catch {
      // The stream is over already; there is nothing left that its owner's failure could end.
    }
  }

  #grant(bytes: number): void {
    if (!this.#over && this.#receiving.state !== "ended") this.#host.sendWindow(this.id, bytes);
  }

  #sentEnd(): void {
    this.#endSent = true;
    this.#closeWhenComplete();
  }

  #closeWhenComplete(): void {
    if (!this.#endSent || this.#over) return;
    if (this.#receiving.state === "ended") return this.#close();
    if (!this.#discarding) return;
    this.#host.sendReset(this.id, "cancelled", "The rest is not needed.");
    this.#close();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#host.over(this);
    this.#incoming.closeWindow();
    this.#outgoing.close();
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }
}

function messageOf({ status }: AnswerHead): AnswerMessage {
  return status < 200 && status !== 101 ? "INTERIM HEADERS" : "HEADERS";
}
