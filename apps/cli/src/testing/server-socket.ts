import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** The other side of a WebSocket, as far as tests need it: whole messages below 64 KiB, as RFC 6455 has them. */
export class ServerSocket {
  readonly #socket: Duplex;
  #received = Buffer.alloc(0);
  #onMessage: (message: Buffer) => void = () => undefined;

  constructor(request: IncomingMessage, socket: Duplex, protocol: string) {
    this.#socket = socket;
    const key = `${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.write(
      [
        "HTTP/1.1 101 Switching Protocols",
        "Connection: Upgrade",
        "Upgrade: websocket",
        `Sec-WebSocket-Accept: ${accept}`,
        `Sec-WebSocket-Protocol: ${protocol}`,
        "\r\n",
      ].join("\r\n"),
    );
  }

  onMessage(listener: (channel: number, bytes: Buffer) => void): void {
    this.#onMessage = (message) => listener(message[0] ?? 0, message.subarray(1));
  }

  send(channel: number, text: string): void {
    const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
    const header = Buffer.from([0x82, 126, payload.length >> 8, payload.length & 0xff]);
    this.#socket.write(Buffer.concat([header, payload]));
  }

  /** Breaks it off, as when the tunnel is lost. */
  cut(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame()) {
      if (frame.opcode === 2) this.#onMessage(frame.payload);
      // A close is answered with a close.
      else if (frame.opcode === 8) this.#socket.end(Buffer.from([0x88, 0]));
    }
  }

  #nextFrame(): { readonly opcode: number; readonly payload: Buffer } | undefined {
    const [first = 0, second = 0] = this.#received;
    const short = second & 0x7f;
    const maskAt = short === 126 ? 4 : 2;
    if (this.#received.length < maskAt + 4) return undefined;
    const length = short === 126 ? this.#received.readUInt16BE(2) : short;
    const end = maskAt + 4 + length;
    if (this.#received.length < end) return undefined;
    const mask = this.#received.subarray(maskAt, maskAt + 4);
    const payload = this.#received
      .subarray(maskAt + 4, end)
      .map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.#received = this.#received.subarray(end);
    return { opcode: first & 0x0f, payload: Buffer.from(payload) };
  }
}
