import { Socket } from "node:net";

/** Takes the parts of an answer as they become known. */
export interface AnswerSink {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** `sent` is called when the network has taken the bytes. */
  body(bytes: Buffer, sent: () => void): void;
}

export interface SubscriptionSocketOptions {
  /** The address of the client. */
  readonly address: string | undefined;
  /** Bytes of the body that may be sent before the client asks for more. */
  readonly credit: number;
  readonly sink: AnswerSink;
}

/** Small enough that the body of one subscription does not hold up the others. */
const maxBodyPart = 64 * 1024;

/** Headers that are about a connection which does not exist, and cookies, which are for a browser to read. */
const droppedHeaders = /^(?:connection|keep-alive|date|transfer-encoding|x-accel-buffering|set-cookie)$/u;

const headEnd = "\r\n\r\n";

/**
 * The connection, as Node sees it, on which the answer to a subscription is written: a head and a body whose end is the
 * end of the connection. A write is done when the client had credit for all of it and the network has taken it; whoever
 * writes the answer is held back by that as by any slow connection.
 */
export class SubscriptionSocket extends Socket {
  override readonly remoteAddress: string | undefined;
  readonly #sink: AnswerSink;
  #credit: number;
  /** What has come of the head; undefined once it is complete. */
  #head: Buffer | undefined = Buffer.alloc(0);
  /** A part of the body that there is no credit for. */
  #waiting: { readonly bytes: Buffer; readonly done: () => void } | undefined;

  constructor({ address, credit, sink }: SubscriptionSocketOptions) {
    super();
    this.remoteAddress = address;
    this.#sink = sink;
    this.#credit = credit;
    // One that breaks also closes, which says all there is to say.
    this.on("error", () => {});
  }

  get credit(): number {
    return this.#credit;
  }

  addCredit(bytes: number): void {
    this.#credit += bytes;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#send(waiting.bytes, waiting.done);
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.#take(bytesOf(chunk, encoding), done);
  }

  override _writev(chunks: readonly WrittenChunk[], done: () => void): void {
    this.#take(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))), done);
  }

  #take(bytes: Buffer, done: () => void): void {
    this.#send(this.#head === undefined ? bytes : this.#takeHead(Buffer.concat([this.#head, bytes])), done);
  }

  /** Returns what comes after the head. */
  #takeHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(headEnd);
    this.#head = end === -1 ? bytes : undefined;
    if (end === -1) return Buffer.alloc(0);
    const { status, headers } = parseHead(bytes.toString("latin1", 0, end));
    this.#sink.head(status, headers);
    return bytes.subarray(end + headEnd.length);
  }

  #send(bytes: Buffer, done: () => void): void {
    if (bytes.length === 0) return done();
    if (this.#credit === 0) {
      this.#waiting = { bytes, done };
      return;
    }
    const length = Math.min(bytes.length, this.#credit, maxBodyPart);
    this.#credit -= length;
    this.#sink.body(bytes.subarray(0, length), () => {
      if (!this.destroyed) this.#send(bytes.subarray(length), done);
    });
  }
}

interface WrittenChunk {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

function bytesOf(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
}

/** Reads a head that Node has written. */
function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const [first = "", ...lines] = text.split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (droppedHeaders.test(name)) continue;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(first.split(" ")[1]), headers };
}
