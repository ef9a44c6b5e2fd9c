import { connect, type Socket } from "node:net";

import { BowlineError, type Address } from "@bowline/core";

import { framed, MessageSplitter } from "./message-splitter.ts";

/** The server ended the connection before it had answered. */
export class ConnectionEnded extends Error {
  readonly code = "ECONNRESET";
  /** Some of the answer had come: the server had taken the request. */
  readonly isInAnswer: boolean;

  constructor(isInAnswer: boolean) {
    super("The connection ended before the answer.");
    this.name = "ConnectionEnded";
    this.isInAnswer = isInAnswer;
  }
}

interface Waiting {
  readonly resolve: (message: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** One connection, for one request after the other. Whatever comes without being asked for ends it. */
export class MessageSocket implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #splitter = new MessageSplitter();
  readonly #closed: Promise<void>;
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    // Both sides end here at once: a half that is open is of no use.
    socket.on("end", () => this.#fail(new ConnectionEnded(!this.#splitter.isBetweenMessages)));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => {
      this.#fail(new ConnectionEnded(!this.#splitter.isBetweenMessages));
      resolve();
    });
  }

  static async connect({ host, port }: Address, signal: AbortSignal): Promise<MessageSocket> {
    const socket = connect({ host, port });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => void socket.destroy(BowlineError.from(signal.reason));
    socket.once("connect", resolve).once("error", reject);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
      return new MessageSocket(socket);
    } finally {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", reject);
    }
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Not before the one before it has ended. A request that is given up takes the connection with it: its answer would come. */
  async exchange(message: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const onAbort = (): void => this.#fail(signal.reason);
    this.#waiting = { resolve, reject };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      this.#socket.ref();
      this.#socket.write(framed(message));
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      // While nobody waits for it, it keeps no process from ending.
      this.#socket.unref();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new BowlineError("Cancelled", "The connection was closed."));
    await this.#closed;
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#splitter.push(chunk)) {
        const waiting = this.#waiting;
        this.#waiting = undefined;
        if (waiting === undefined) this.#socket.destroy();
        // A copy, so that what is kept of a message does not keep the chunk.
        else waiting.resolve(Buffer.from(message));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#socket.destroy();
    waiting?.reject(error);
  }
}
