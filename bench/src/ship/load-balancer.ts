import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { ask } from "../tunnel/ask.ts";
import type { Target } from "../tunnel/target.ts";

const checkEveryMs = 200;
const checkLimitMs = 1_000;

/**
 * A load balancer of TCP connections, as clouds have them: in turns to those that say they are ready, and nothing is
 * tried again. Connections that are there stay until one side ends them.
 */
export class LoadBalancer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #targets: readonly Target[];
  readonly #ready = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  static async start(targets: readonly Target[]): Promise<LoadBalancer> {
    const server = createServer({ noDelay: true, allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const balancer = new LoadBalancer(server, targets);
    await balancer.#check();
    return balancer;
  }

  private constructor(server: Server, targets: readonly Target[]) {
    this.#server = server;
    this.#targets = targets;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => this.#pass(socket));
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#targets.map(async (target) => {
        const limit = new Promise<never>((_, reject) => setTimeout(reject, checkLimitMs).unref());
        try {
          await Promise.race([ask(target, { path: "/readyz" }), limit]);
          this.#ready.add(target.port);
        } catch {
          this.#ready.delete(target.port);
        }
      }),
    );
  }

  #pass(client: Socket): void {
    const ready = this.#targets.filter(({ port }) => this.#ready.has(port));
    const target = ready[this.#turn % Math.max(1, ready.length)];
    this.#turn += 1;
    if (target === undefined) return void client.destroy();
    const server = connect({ port: target.port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        other.destroySoon();
      });
      socket.on("error", () => other.destroy());
      socket.pipe(other);
    }
  }
}
