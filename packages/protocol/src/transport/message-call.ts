import type {
  ClientHttp2Session,
  Http2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";
import { setImmediate as nextTurn } from "node:timers/promises";

import { BowlineError } from "@bowline/core";

import { violation } from "../message-order.ts";
import type { CallDirection, CallKind } from "./call-kind.ts";
import { grpcContentType, grpcError, grpcTrailers, refusalIn } from "./grpc-status.ts";
import { encodeMessage, MessageDecoder } from "./message-decoder.ts";

/** The bytes that may wait for a peer that does not read, beyond one message. */
const maxBacklogBytes = 1024 * 1024;

/**
 * How many messages of the largest size may wait for this side's reader. The windows of HTTP/2 are wide open for the
 * sake of tunnels, so they hold nobody back; a sender that has to wait for acks, or sends little, never gets here.
 */
const maxUnreadMessages = 4;

/** How many messages are read before everybody else has a turn: a peer may send a hundred thousand small ones at once. */
const messagesPerTurn = 64;

/** How many messages of a later version may come in a row. More mean nothing in any version. */
const maxUnknownMessages = 64;

/**
 * One side of a gRPC call that carries messages both ways, such as a session.
 *
 * States:
 * - `open`: both sides send
 * - `ended`: this side is done and the other may go on (agent), or the call is done altogether (server)
 * - `over`: nothing is sent or received any more
 */
export interface MessageCall<Outgoing, Incoming> {
  /**
   * The other side's messages, in the order its state machine allows. They end when the other side is done and throw a
   * BowlineError when the call failed: what the server refused it with, `ProtocolViolation`, `ConnectionFailed`, or what
   * this side failed it with. A message that breaks the protocol ends this call and nothing else.
   */
  readonly messages: AsyncGenerator<Incoming, void, void>;

  /**
   * Sends, or drops when the call is over. False means: wait for `drained()` before you send more. A peer that takes
   * nothing for long ends the call.
   */
  send(message: Outgoing): boolean;

  /** Resolves when there is room to send, or nobody to send to any more. */
  drained(): Promise<void>;

  /** This side is done. Said by the server, it ends the call with the status OK. */
  end(): void;

  /** Ends the call at once. The error of the server reaches the agent; that of the agent says only that it gave up. */
  fail(error: BowlineError): void;
}

interface CallMessagesOptions {
  /** Such as `authorization`. */
  readonly headers?: OutgoingHttpHeaders;
  /** Ends the call whenever it aborts. */
  readonly signal: AbortSignal;
}

/** The agent's side. It need not wait for the server: a refusal is told by `messages`. */
export function callMessages<RequestInit, RequestShape, ResponseInit, ResponseShape>(
  session: ClientHttp2Session,
  kind: CallKind<RequestInit, RequestShape, ResponseInit, ResponseShape>,
  { headers, signal }: CallMessagesOptions,
): MessageCall<RequestInit, ResponseShape> {
  signal.throwIfAborted();
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": kind.path,
    "content-type": grpcContentType,
    te: "trailers",
  });
  let status: IncomingHttpHeaders | undefined;
  stream.once("trailers", (trailers) => {
    status = trailers;
    // The server listens no more.
    stream.end();
  });
  const call = new Http2MessageCall({
    stream,
    sending: kind.request,
    receiving: kind.response,
    maxMessageBytes: kind.maxMessageBytes,
    finish: (error) => {
      if (error === undefined) stream.end();
      // Not `close`, which would say first that this side is done.
      else stream.destroy();
    },
    statusAtEnd: () => (status === undefined ? lost() : grpcError(status)),
  });
  stream.once("response", (head) => {
    const refusal = refusalIn(head);
    if (refusal !== undefined) call.fail(refusal);
  });
  const giveUp = (): void => call.fail(BowlineError.from(signal.reason));
  signal.addEventListener("abort", giveUp, { once: true });
  stream.once("close", () => signal.removeEventListener("abort", giveUp));
  return call;
}

/** The server's side: agrees to a call. Refusing is `fail` right after it. */
export function answerMessages<RequestInit, RequestShape, ResponseInit, ResponseShape>(
  stream: ServerHttp2Stream,
  kind: CallKind<RequestInit, RequestShape, ResponseInit, ResponseShape>,
): MessageCall<ResponseInit, RequestShape> {
  let status: OutgoingHttpHeaders = { "grpc-status": "0" };
  stream.once("wantTrailers", () => stream.sendTrailers(status));
  stream.respond({ ":status": 200, "content-type": grpcContentType }, { waitForTrailers: true });
  return new Http2MessageCall({
    stream,
    sending: kind.response,
    receiving: kind.request,
    maxMessageBytes: kind.maxMessageBytes,
    finish: (error) => {
      if (error !== undefined) status = grpcTrailers(error);
      stream.end();
    },
    statusAtEnd: () => (stream.aborted ? lost() : undefined),
  });
}

interface Http2MessageCallOptions<Outgoing, Incoming> {
  readonly stream: Http2Stream;
  readonly sending: CallDirection<Outgoing, unknown>;
  readonly receiving: CallDirection<unknown, Incoming>;
  readonly maxMessageBytes: number;
  /** Says to the other side that this one is done, or that it failed. */
  readonly finish: (error?: BowlineError) => void;
  /** Asked when nothing more comes: what the other side says about how the call went. */
  readonly statusAtEnd: () => BowlineError | undefined;
}

class Http2MessageCall<Outgoing, Incoming> implements MessageCall<Outgoing, Incoming> {
  readonly messages: AsyncGenerator<Incoming, void, void>;
  readonly #options: Http2MessageCallOptions<Outgoing, Incoming>;
  readonly #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** Called when the reader has something to look at. */
  #wake: (() => void) | undefined;
  #ended = false;
  #otherEnded = false;
  #failure: BowlineError | undefined;

  constructor(options: Http2MessageCallOptions<Outgoing, Incoming>) {
    this.#options = options;
    const otherEnded = (): void => {
      this.#otherEnded = true;
      this.#wake?.();
    };
    options.stream
      .on("data", (chunk: Buffer) => this.#take(chunk))
      .on("end", otherEnded)
      .on("close", otherEnded)
      // The reader of the messages is told; one who only sends needs not be.
      .on("error", (cause) => (this.#failure ??= lost(cause)));
    this.messages = this.#receive();
  }

  send(message: Outgoing): boolean {
    const { stream, sending } = this.#options;
    if (this.#isOver()) return true;
    if (stream.writableLength > maxBacklogBytes) {
      this.#drop(new BowlineError("Timeout", "The other side does not read what it is sent."));
      return true;
    }
    return stream.write(encodeMessage(sending.encode(message)));
  }

  async drained(): Promise<void> {
    const { stream } = this.#options;
    if (this.#isOver() || !stream.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.once("drain", resolve).once("close", resolve);
    await promise;
    stream.off("drain", resolve).off("close", resolve);
  }

  end(): void {
    if (this.#isOver()) return;
    this.#ended = true;
    this.#options.finish();
  }

  fail(error: BowlineError): void {
    this.#failure ??= error;
    this.#wake?.();
    if (this.#options.stream.closed || this.#ended) return;
    this.#ended = true;
    this.#options.finish(error);
  }

  #isOver(): boolean {
    return this.#ended || this.#failure !== undefined || this.#options.stream.closed;
  }

  /** Where a status would wait behind what is not read. */
  #drop(error: BowlineError): void {
    this.#failure ??= error;
    this.#options.stream.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    this.#wake?.();
    if (this.#unreadBytes <= this.#options.maxMessageBytes * maxUnreadMessages) return;
    this.fail(new BowlineError("TooManyRequests", "More was sent than this side has had the time to read."));
  }

  async *#receive(): AsyncGenerator<Incoming, void, void> {
    const { receiving } = this.#options;
    const order = receiving.order.start();
    let taken = 0;
    let unknown = 0;
    try {
      for await (const message of this.#decoded()) {
        if (++taken % messagesPerTurn === 0) await nextTurn();
        const name = receiving.nameOf(message);
        unknown = name === undefined ? unknown + 1 : 0;
        if (unknown > maxUnknownMessages) throw violation("Too many messages in a row mean nothing here.");
        // Something of a later version; whatever needs an answer is announced as a capability first.
        if (name === undefined) continue;
        order.accept(name);
        yield message;
      }
      order.finish();
    } catch (error) {
      const failure = BowlineError.from(error);
      this.fail(failure);
      throw failure;
    }
  }

  async *#decoded(): AsyncGenerator<Incoming, void, void> {
    const { receiving, maxMessageBytes, statusAtEnd } = this.#options;
    const decoder = new MessageDecoder(maxMessageBytes);
    for await (const chunk of this.#chunks()) {
      for (const bytes of decoder.push(chunk)) yield decode(receiving, bytes);
    }
    const problem = this.#failure ?? statusAtEnd();
    if (problem !== undefined) throw problem;
    decoder.finish();
  }

  async *#chunks(): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const chunk = this.#unread.shift();
      if (chunk !== undefined) {
        this.#unreadBytes -= chunk.length;
        yield chunk;
      } else if (this.#otherEnded || this.#failure !== undefined) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      }
    }
  }
}

function decode<Shape>(direction: CallDirection<unknown, Shape>, bytes: Uint8Array): Shape {
  try {
    return direction.decode(bytes);
  } catch {
    throw violation(`A message of ${direction.order.name} is malformed.`);
  }
}

function lost(cause?: unknown): BowlineError {
  const options = cause === undefined ? {} : { cause };
  return new BowlineError("ConnectionFailed", "The connection that carried the call is gone.", options);
}
