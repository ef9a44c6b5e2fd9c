import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/**
 * A hop between client and server that can go silent without closing anything, as a frozen host or a forgetful NAT
 * does: packets are still acknowledged, but nothing comes through any more.
 */
export class FaultyNetwork {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.url = `${scheme}//127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(target: string): Promise<FaultyNetwork> {
    const { protocol, port } = new URL(target);
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const network = new FaultyNetwork(server, protocol);
    server.on("connection", (near) => network.#join(near, connect(Number(port), "127.0.0.1")));
    return network;
  }

  /** Freezes the connections that exist now; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
