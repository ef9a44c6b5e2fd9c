import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  readonly status: number;
  text(): string;
}

/** Where an answer on its way has got to. */
interface Incoming {
  readonly chunks: Buffer[];
  receivedBytes: number;
  /** These are known when the head is complete. */
  status: number;
  headBytes: number;
  wholeBytes: number;
}

const headEnd = "\r\n\r\n";

/**
 * A connection that is asked one thing at a time. It reads no more of an answer than where that ends: what a client
 * costs comes off the machine that the server runs on too.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #incoming = nothing();
  #waiting: PromiseWithResolvers<HttpAnswer> | undefined;

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new HttpConnection(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("The server closed the connection")));
  }

  send(request: string): Promise<HttpAnswer> {
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const incoming = this.#incoming;
    incoming.chunks.push(chunk);
    incoming.receivedBytes += chunk.length;
    if (incoming.wholeBytes === 0 && !readHead(incoming)) return;
    if (incoming.receivedBytes < incoming.wholeBytes) return;
    this.#incoming = nothing();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answerOf(incoming));
  }
}

function nothing(): Incoming {
  return { chunks: [], receivedBytes: 0, status: 0, headBytes: 0, wholeBytes: 0 };
}

/** False while the head is not complete. An answer without a length ends with its head. */
function readHead(incoming: Incoming): boolean {
  const received = incoming.chunks.length === 1 ? incoming.chunks[0] : Buffer.concat(incoming.chunks);
  const end = received?.indexOf(headEnd) ?? -1;
  if (received === undefined || end < 0) return false;
  const head = received.toString("latin1", 0, end);
  incoming.status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  incoming.headBytes = end + headEnd.length;
  incoming.wholeBytes = incoming.headBytes + Number(/content-length: (\d+)/iu.exec(head)?.[1] ?? 0);
  return true;
}

function answerOf({ chunks, status, headBytes }: Incoming): HttpAnswer {
  return { status, text: () => Buffer.concat(chunks).toString("utf8", headBytes) };
}
