import { connect, createServer, type Server, type Socket } from "node:net";

import { listen } from "../tunnel/listen.ts";

interface Counted {
  sent: number;
  received: number;
}

/** Passes bytes on, and counts them. */
export class CountingRelay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #counted: Counted;

  static async start(targetPort: number): Promise<CountingRelay> {
    const sockets = new Set<Socket>();
    const counted = { sent: 0, received: 0 };
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
      near.on("data", (chunk: Buffer) => (counted.sent += chunk.length));
      far.on("data", (chunk: Buffer) => (counted.received += chunk.length));
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
    });
    return new CountingRelay(await listen(server), { server, sockets, counted });
  }

  private constructor(
    port: number,
    parts: {
      readonly server: Server;
      readonly sockets: Set<Socket>;
      readonly counted: Counted;
    },
  ) {
    this.port = port;
    this.#server = parts.server;
    this.#sockets = parts.sockets;
    this.#counted = parts.counted;
  }

  /** Towards the server so far, TLS and all. */
  get sentBytes(): number {
    return this.#counted.sent;
  }

  /** From the server. */
  get receivedBytes(): number {
    return this.#counted.received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
