import { isRecord } from "@bowline/core";
import type { RawData, WebSocket } from "ws";

import type { SocketUpgrade } from "./socket-upgrade.ts";

/** The first byte of each message says what the rest of it is. */
export const channels = { input: 0, output: 1, error: 2, status: 3, resize: 4, close: 255 } as const;

const closingProtocol = "v5.channel.k8s.io";
const binaryProtocol = "v4.channel.k8s.io";
const base64Protocol = "v4.base64.channel.k8s.io";

/** The first version that ends single channels, and takes such clients itself instead of leaving them to the kubelet. */
const closesChannelsSince = 30;
const mostWaitingBytes = 4 * 1024 * 1024;

export interface ChannelListener {
  input(bytes: Uint8Array): void;
  endInput(): void;
  resize(columns: number, rows: number): void;
  closed(): void;
}

/** The streams of a process over one WebSocket. A reader that falls too far behind is cut off. */
export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #isBase64: boolean;

  /** Undefined where the client cannot have it and has been told so. */
  static accept(upgrade: SocketUpgrade, minorVersion: number): ChannelSocket | undefined {
    const closing = takesClosing(upgrade, minorVersion);
    const socket = upgrade.accept(closing ? [closingProtocol] : [binaryProtocol, base64Protocol]);
    return socket && new ChannelSocket(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#isBase64 = socket.protocol === base64Protocol;
  }

  listen(listener: ChannelListener): void {
    this.#socket.on("message", (data) => this.#receive(this.#read(data), listener));
    this.#socket.on("close", () => listener.closed());
  }

  send(channel: number, bytes: Uint8Array): void {
    if (this.#isBase64) this.#socket.send(`${channel}${Buffer.from(bytes).toString("base64")}`);
    else this.#socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
    if (this.#socket.bufferedAmount > mostWaitingBytes) this.#socket.terminate();
  }

  /** Says how it ended, and closes. */
  end(status: object): void {
    this.send(channels.status, Buffer.from(JSON.stringify(status)));
    this.#socket.close(1000);
  }

  #read(data: RawData): Buffer {
    const message = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
    if (!this.#isBase64) return message;
    const text = message.toString();
    return Buffer.concat([Buffer.from([Number(text[0])]), Buffer.from(text.slice(1), "base64")]);
  }

  #receive(message: Buffer, listener: ChannelListener): void {
    const [channel, closed] = message;
    const bytes = message.subarray(1);
    if (channel === channels.input) listener.input(bytes);
    if (channel === channels.resize) resize(bytes, listener);
    const canClose = this.#socket.protocol === closingProtocol;
    if (canClose && channel === channels.close && closed === channels.input) listener.endInput();
  }
}

/** Whether the client wants to be able to close channels, and the server knows how. */
export function takesClosing({ protocols }: SocketUpgrade, minorVersion: number): boolean {
  return minorVersion >= closesChannelsSince && protocols.includes(closingProtocol);
}

function resize(bytes: Buffer, listener: ChannelListener): void {
  try {
    const size: unknown = JSON.parse(bytes.toString());
    if (isRecord(size)) listener.resize(Number(size["Width"]), Number(size["Height"]));
  } catch {
    // The real server passes over sizes that it cannot read, too.
  }
}
