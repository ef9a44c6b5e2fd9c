import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Two ends of a connection that passes through. */
interface Pair {
  readonly incoming: Socket;
  readonly outgoing: Socket;
}

/** Passes connections on to a port of this machine, until a test cuts them or the network between goes silent. */
export class FaultyNetwork implements AsyncDisposable {
  /** Where it listens. */
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #silent = new WeakSet<Pair>();

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (incoming) => this.#pass({ incoming, outgoing: connect(target, "127.0.0.1") }));
  }

  /** On a free port, or where it is told. */
  static async start(target: number, port = 0): Promise<FaultyNetwork> {
    const server = createServer({ pauseOnConnect: true }).listen(port, "127.0.0.1");
    await once(server, "listening");
    return new FaultyNetwork(server, target);
  }

  /** Connections that pass through. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Ends all connections at once, at both ends. */
  cut(): void {
    for (const { incoming, outgoing } of this.#pairs) {
      incoming.destroy();
      outgoing.destroy();
    }
  }

  /** As when a machine loses its power: what is sent over the connections there are arrives nowhere, their ends too. */
  swallow(): void {
    for (const pair of this.#pairs) {
      const { incoming, outgoing } = pair;
      this.#silent.add(pair);
      incoming.unpipe(outgoing).resume();
      outgoing.unpipe(incoming).resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #pass(pair: Pair): void {
    const { incoming, outgoing } = pair;
    this.#pairs.add(pair);
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      socket
        .on("error", () => {})
        .once("close", () => {
          if (!this.#silent.has(pair)) other.destroy();
          if (other.destroyed) this.#pairs.delete(pair);
        });
    }
    incoming.pipe(outgoing).pipe(incoming);
  }
}
