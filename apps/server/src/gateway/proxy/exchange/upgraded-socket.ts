import type { Duplex } from "node:stream";

import type { HeaderList, TunnelStream } from "@bowline/protocol";

/** The connection of a client that asked for another protocol, with what it has sent of it already. */
export interface UpgradeRequest {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The bytes of another protocol, both ways, until each side has ended its own. */
export class UpgradedSocket {
  readonly #socket: Duplex;
  readonly #stream: TunnelStream;
  readonly #passed: (bytes: number) => void;
  requestBytes = 0;
  answerBytes = 0;
  #clientEnded = false;
  #clusterEnded = false;

  /** `passed` is told of the bytes that the client sends. */
  constructor(socket: Duplex, stream: TunnelStream, passed: (bytes: number) => void) {
    this.#socket = socket;
    this.#passed = passed;
    this.#stream = stream;
  }

  /** One side has said that it will send nothing more. */
  get isHalfClosed(): boolean {
    return this.#clientEnded || this.#clusterEnded;
  }

  /** Both have. */
  get isComplete(): boolean {
    return this.#clientEnded && this.#clusterEnded;
  }

  start(head: HeaderList, early: Buffer): void {
    const socket = this.#socket;
    // A side that has ended still listens: that is how some protocols say that a request is complete.
    socket.allowHalfOpen = true;
    socket.write(headText(head), "latin1");
    socket.on("drain", () => this.#stream.resume());
    socket.on("data", (chunk: Buffer) => this.#send(chunk));
    socket.on("end", () => this.#sendEnd());
    if (early.length > 0) this.#send(early);
    socket.resume();
  }

  write(chunk: Buffer): boolean {
    this.answerBytes += chunk.length;
    return this.#socket.write(chunk);
  }

  end(): void {
    this.#clusterEnded = true;
    this.#socket.end();
  }

  /** The tunnel has room again. */
  resume(): void {
    this.#socket.resume();
  }

  #send(chunk: Buffer): void {
    this.requestBytes += chunk.length;
    this.#passed(chunk.length);
    if (!this.#stream.write(chunk)) this.#socket.pause();
  }

  #sendEnd(): void {
    this.#clientEnded = true;
    this.#stream.end();
  }
}

function headText(head: HeaderList): string {
  let text = "HTTP/1.1 101 Switching Protocols\r\n";
  for (let index = 0; index < head.length; index += 2) text += `${head[index]}: ${head[index + 1]}\r\n`;
  return `${text}\r\n`;
}
