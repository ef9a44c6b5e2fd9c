import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

import { isWebSocketRequest, SocketUpgrade } from "./socket-upgrade.ts";

interface TlsMaterial {
  readonly key: string;
  readonly cert: string;
  /** Client certificates signed by this authority say who the client is. */
  readonly ca: string;
}

export interface ApiServerOptions {
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    upgrade?: SocketUpgrade,
  ) => Promise<void>;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: TlsMaterial;
}

/** The listening socket and every connection it has accepted, so that stopping leaves none behind. */
export class ApiServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #options: ApiServerOptions;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const listener = (request: IncomingMessage, response: ServerResponse): void =>
      void options.handle(request, response);
    // Other protocols to change to are passed over, as the real server does where it has no use for them.
    const shared = { shouldUpgradeCallback: isWebSocketRequest };
    this.#server = options.tls
      ? createHttpsServer(
          { ...options.tls, ...shared, requestCert: true, rejectUnauthorized: false },
          listener,
        )
      : createHttpServer(shared, listener);
    // Long answers are watches and logs; how long they last is for the handlers to say.
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = 120_000;
    this.#server.on("connection", (socket: Socket) => this.#track(socket));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    // Broken handshakes and requests are the client's affair.
    this.#server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
    this.#server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  }

  /** Connections that are open now. */
  get connectionCount(): number {
    return this.#sockets.size;
  }

  get url(): string {
    const { port } = this.#address();
    return `${this.#options.tls ? "https" : "http"}://${this.#options.host}:${port}`;
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = new ServerResponse(request);
    response.assignSocket(request.socket);
    response.shouldKeepAlive = false;
    response.once("finish", () => socket.end());
    void this.#options.handle(request, response, new SocketUpgrade({ request, response, socket, head }));
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    // A peer that vanishes is no failure of the server.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #address(): AddressInfo {
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new TypeError("the API server is not listening");
    return address;
  }
}
