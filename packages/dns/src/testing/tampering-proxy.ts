import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { framed, MessageSplitter } from "../connection/message-splitter.ts";
import { MessageSocket } from "../connection/message-socket.ts";

/** What becomes of a request: bytes that are sent as they are, and how the connection goes on. */
interface Reply {
  readonly send?: readonly Buffer[];
  /** Missing where the connection stays open. */
  readonly close?: "end" | "reset";
}

/** `ask` gets the true answer to any request; `at` counts requests. */
export type Tamper = (
  request: Buffer,
  ask: (request: Buffer) => Promise<Buffer>,
  at: number,
) => Promise<Reply> | Reply;

/** Stands before a real DNS server and does to requests and answers what it is told to. */
export class TamperingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upstreamPort: number;
  /** Connections there were. */
  connections = 0;
  requests = 0;
  tamper: Tamper = honest;

  private constructor(upstreamPort: number) {
    this.#upstreamPort = upstreamPort;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(upstreamPort: number): Promise<TamperingProxy> {
    const proxy = new TamperingProxy(upstreamPort);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    const splitter = new MessageSplitter();
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      for (const request of splitter.push(chunk)) void this.#answer(socket, Buffer.from(request));
    });
  }

  async #answer(socket: Socket, request: Buffer): Promise<void> {
    const at = this.requests++;
    const { send = [], close } = await this.tamper(request, (asked) => this.#ask(asked), at);
    for (const bytes of send) {
      socket.write(bytes);
      // Each on its way by itself.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (close === "end") socket.end();
    if (close === "reset") socket.resetAndDestroy();
  }

  async #ask(request: Buffer): Promise<Buffer> {
    const { signal } = new AbortController();
    await using upstream = await MessageSocket.connect(
      { host: "127.0.0.1", port: this.#upstreamPort },
      signal,
    );
    return await upstream.exchange(request, signal);
  }
}

export const honest: Tamper = async (request, ask) => ({ send: [framed(await ask(request))] });
