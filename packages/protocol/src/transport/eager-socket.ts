import { Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";

/** Several times what tunnels and calls leave here when the network is slow. */
const maxWaitingBytes = 16 * 1024 * 1024;

type Done = (error?: Error | null) => void;

/**
 * A socket that takes what is written to it at once, and says separately when the network has taken it.
 *
 * An HTTP/2 session of Node does not read while something it wrote has not left. When both ends of a connection are like
 * that and both send much, each waits for the other to read, for ever. One end that always goes on reading is enough to
 * prevent it, so the agent connects through this. What waits in it is bounded by those who write: a tunnel writes no
 * more until `flushed` calls back. A server that asks and asks, but does not read the answers, is left.
 */
export class EagerSocket extends Duplex {
  readonly #socket: Duplex;
  #writes = 0;
  #taken = 0;
  #waiting: { readonly writes: number; readonly callback: () => void }[] = [];

  constructor(socket: Duplex) {
    super();
    this.#socket = socket;
    socket
      .on("data", (chunk: Buffer) => {
        if (!this.push(chunk)) socket.pause();
      })
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.#closed());
  }

  /** Calls back when the network has taken everything written so far, or never will. */
  flushed(callback: () => void): void {
    if (this.#taken === this.#writes) callback();
    else this.#waiting.push({ writes: this.#writes, callback });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: Done): void {
    if (this.#isFull()) return done(notRead());
    this.#writes++;
    this.#socket.write(chunk, () => this.#took());
    done();
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    if (this.#isFull()) return done(notRead());
    const last = chunks.length - 1;
    this.#writes++;
    this.#socket.cork();
    chunks.forEach(({ chunk }, index) =>
      this.#socket.write(chunk, index === last ? () => this.#took() : undefined),
    );
    this.#socket.uncork();
    done();
  }

  override _final(done: Done): void {
    // A socket ends by itself when the other side has: to end it once more would be an error.
    if (this.#socket.destroyed || this.#socket.writableFinished) done();
    else this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy();
    this.#takeNoMore();
    done(error);
  }

  #isFull(): boolean {
    return this.#socket.writableLength > maxWaitingBytes;
  }

  /** Bytes that came before the other side ended can still be read. */
  #closed(): void {
    this.#takeNoMore();
    if (this.#socket.readableEnded && !this.readableEnded) this.once("end", () => this.destroy());
    else this.destroy();
  }

  #takeNoMore(): void {
    this.#taken = this.#writes;
    this.#tell();
  }

  #took(): void {
    this.#taken = Math.min(this.#taken + 1, this.#writes);
    this.#tell();
  }

  #tell(): void {
    while (this.#waiting[0] !== undefined && this.#waiting[0].writes <= this.#taken) {
      this.#waiting.shift()?.callback();
    }
  }
}

function notRead(): BowlineError {
  return new BowlineError("Timeout", "The other side does not read what it is sent.");
}
