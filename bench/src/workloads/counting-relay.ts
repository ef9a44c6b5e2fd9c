import { connect, createServer, type Server, type Socket } from "node:net";

import { listen } from "../tunnel/listen.ts";

/** Passes bytes on, and counts those that go towards the server. */
export class CountingRelay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #counted: { bytes: number };

  static async start(targetPort: number): Promise<CountingRelay> {
    const sockets = new Set<Socket>();
    const counted = { bytes: 0 };
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
      near.on("data", (chunk: Buffer) => (counted.bytes += chunk.length));
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
      readonly counted: { bytes: number };
    },
  ) {
    this.port = port;
    this.#server = parts.server;
    this.#sockets = parts.sockets;
    this.#counted = parts.counted;
  }

  /** So far, TLS and all. */
  get sentBytes(): number {
    return this.#counted.bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
