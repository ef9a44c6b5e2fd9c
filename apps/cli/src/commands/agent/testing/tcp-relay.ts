import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** Passes connections on, until a test cuts them. */
export class TcpRelay {
  readonly sockets = new Set<Socket>();
  readonly #server;

  constructor(port: number) {
    this.#server = createServer((incoming) => {
      const outgoing = connect(port, "127.0.0.1");
      for (const socket of [incoming, outgoing]) {
        this.sockets.add(socket);
        socket
          .on("error", () => {})
          .once("close", () => {
            this.sockets.delete(socket);
            incoming.destroy();
            outgoing.destroy();
          });
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
  }

  async listen(port: number): Promise<number> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

/** A relay to a port of this machine; it listens on a free one, or where it is told. */
export async function relayTo(
  port: number,
  listen = 0,
): Promise<{ readonly relay: TcpRelay; readonly port: number }> {
  const relay = new TcpRelay(port);
  onTestFinished(() => relay.close());
  return { relay, port: await relay.listen(listen) };
}
