import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { onTestFinished } from "vitest";

/** Channels of a command; a forwarded port has its bytes on 0 and what went wrong on 1. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, result: 3 } as const;

export interface ChannelSocketOptions {
  /** Of the address: `https://…`. */
  readonly url: string;
  readonly caPem: string;
  readonly protocols: string[];
  readonly token?: string;
}

/** Kubernetes' streams over a WebSocket: the first byte of each message says which stream it belongs to. */
export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #received = new Map<number, Buffer>();
  readonly #closed: Promise<void>;
  #changed = Promise.withResolvers<void>();

  /** Rejects when the server does not want to change to a WebSocket. */
  static async open(options: ChannelSocketOptions): Promise<ChannelSocket> {
    // The WebSocket of Node takes no authorities of its own.
    setDefaultCACertificates([...getCACertificates("bundled"), options.caPem]);
    const socket = new ChannelSocket(options);
    await socket.#opened();
    return socket;
  }

  private constructor({ url, protocols, token }: ChannelSocketOptions) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#socket = new WebSocket(url.replace(/^http/u, "ws"), { protocols, headers });
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("message", ({ data }) => this.#take(Buffer.from(data as ArrayBuffer)));
    this.#closed = new Promise((resolve) => {
      this.#socket.addEventListener("close", () => resolve());
    });
    onTestFinished(async () => {
      this.#socket.close();
      await this.#closed;
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(channel: number, data: string | Buffer): void {
    this.#socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
  }

  /** Resolves to everything that came on a channel, once that is enough. */
  async received(channel: number, isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
    for (;;) {
      const bytes = this.#received.get(channel) ?? Buffer.alloc(0);
      if (isEnough(bytes)) return bytes;
      const lost = this.#closed.then(() => {
        if (isEnough(this.#received.get(channel) ?? Buffer.alloc(0))) return;
        throw new Error(`The WebSocket was closed after ${bytes.length} bytes on channel ${channel}.`);
      });
      await Promise.race([this.#changed.promise, lost]);
    }
  }

  #take(message: Buffer): void {
    const [channel = 0] = message;
    const before = this.#received.get(channel) ?? Buffer.alloc(0);
    this.#received.set(channel, Buffer.concat([before, message.subarray(1)]));
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => resolve());
      this.#socket.addEventListener("error", () => reject(new Error("There is no WebSocket here.")));
    });
  }
}
