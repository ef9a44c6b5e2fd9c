import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawExchange {
  readonly port: number;
  /** The bytes to send, piece by piece. A function is awaited before the next, and so is something to come back. */
  readonly parts: readonly (string | Buffer | RegExp | (() => Promise<unknown>))[];
  /** The end when all is sent: say that no more comes, cut the connection, or leave it open. */
  readonly atEnd?: "end" | "reset" | "wait";
}

/** Sends bytes over a connection of their own, and resolves to all that came back when it is closed. */
export async function rawExchange({ port, parts, atEnd = "wait" }: RawExchange): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const received = new Received(socket);
  for (const part of parts) {
    if (typeof part === "function") await part();
    else if (part instanceof RegExp) await received.until(part);
    else await write(socket, part);
  }
  if (atEnd === "end") socket.end();
  if (atEnd === "reset") socket.resetAndDestroy();
  return received.all;
}

async function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  // The other side may have closed it by now, which is not for the one who writes to tell.
  await new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));
}

/** The bytes that come back over a connection. */
class Received {
  readonly #socket: Socket;
  readonly #closed = Promise.withResolvers<void>();
  #text = "";

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => (this.#text += bytes.toString("latin1")));
    // A connection that breaks also closes.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed.resolve());
  }

  /** When the connection is closed. */
  get all(): Promise<string> {
    return this.#closed.promise.then(() => this.#text);
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#text) && !this.#socket.destroyed) {
      await Promise.race([once(this.#socket, "data"), this.#closed.promise]);
    }
  }
}

/** The statuses of the answers in what came back, in their order. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (?<status>\d{3}) /gu)].map(({ groups }) => Number(groups?.["status"]));
}
