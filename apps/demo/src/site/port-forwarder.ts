import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

interface PortForwarderOptions {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** Where it leads to. */
  readonly target: { readonly host: string; readonly port: number };
}

/** Leads from one address of this machine to another, so that the server itself need not listen on both. */
export class PortForwarder {
  readonly #sockets = new Set<Socket>();
  readonly #server;

  private constructor({ target }: PortForwarderOptions) {
    this.#server = createServer({ allowHalfOpen: true }, (incoming) => {
      const outgoing = connect({ ...target, allowHalfOpen: true });
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy()).once("close", () => this.#sockets.delete(one));
      }
    });
  }

  static async listen(options: PortForwarderOptions): Promise<PortForwarder> {
    const forwarder = new PortForwarder(options);
    forwarder.#server.listen(options.port, options.host);
    await once(forwarder.#server, "listening");
    return forwarder;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
