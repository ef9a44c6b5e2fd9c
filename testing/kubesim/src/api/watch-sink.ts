import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

import type { WebSocket } from "ws";

export interface SinkListener {
  /** The reader has caught up. */
  readonly drained: () => void;
  readonly closed: () => void;
}

/** Where the events of a watch go, each a line of JSON. */
export interface WatchSink {
  readonly socket: Socket | null;
  open(listener: SinkListener): void;
  /** False where the reader is behind and should be waited for. */
  write(lines: readonly Buffer[]): boolean;
  /** Sends the first half of a line and then breaks off. */
  cut(line: Buffer): void;
  end(): void;
  /** Cuts the connection without a goodbye. */
  destroy(): void;
}

/** One chunked answer with a line for each event. */
export class AnswerSink implements WatchSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get socket(): Socket | null {
    return this.#response.socket;
  }

  open({ drained, closed }: SinkListener): void {
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.flushHeaders();
    this.#response.on("drain", drained);
    this.#response.on("close", closed);
  }

  write(lines: readonly Buffer[]): boolean {
    const { destroyed, writableEnded } = this.#response;
    return destroyed || writableEnded || this.#response.write(Buffer.concat(lines));
  }

  cut(line: Buffer): void {
    this.#response.write(firstHalf(line), () => this.destroy());
  }

  end(): void {
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** How much may wait in the socket before its reader counts as being behind. */
const highWaterBytes = 64 * 1024;

/** A text message for each event. Whatever the client sends is not looked at. */
export class SocketSink implements WatchSink {
  readonly socket: Socket;
  readonly #webSocket: WebSocket;
  #drained: () => void = () => undefined;
  #isBehind = false;

  constructor(webSocket: WebSocket, socket: Socket) {
    this.#webSocket = webSocket;
    this.socket = socket;
  }

  open({ drained, closed }: SinkListener): void {
    this.#drained = drained;
    this.#webSocket.on("close", closed);
  }

  write(lines: readonly Buffer[]): boolean {
    for (const line of lines) this.#webSocket.send(line, { binary: false }, () => this.#sent());
    this.#isBehind = this.#webSocket.bufferedAmount > highWaterBytes;
    return !this.#isBehind;
  }

  cut(line: Buffer): void {
    this.#webSocket.send(firstHalf(line), { binary: false, fin: false }, () => this.destroy());
  }

  end(): void {
    this.#webSocket.close(1000);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }

  #sent(): void {
    if (!this.#isBehind || this.#webSocket.bufferedAmount > 0) return;
    this.#isBehind = false;
    this.#drained();
  }
}

function firstHalf(line: Buffer): Buffer {
  return line.subarray(0, Math.floor(line.length / 2));
}
