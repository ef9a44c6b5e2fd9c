import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

import { tunnelProtocol } from "@bowline/protocol";

import type { AgentConnection } from "./agent-connection.ts";
import { socketTunnelCall, type TunnelHandler } from "./agent-call.ts";

export interface TunnelSocketsOptions {
  /** By the path of the request. */
  readonly tunnelHandlers: ReadonlyMap<string, TunnelHandler>;
  readonly newRequestId: () => string;
}

const maxHeaderSize = 16 * 1024;

/** Reads what connections that are to carry a tunnel begin with: a request of HTTP/1.1 that asks for it. */
export class TunnelSockets {
  readonly #options: TunnelSocketsOptions;
  readonly #connections = new WeakMap<Duplex, AgentConnection>();
  /** It listens nowhere: connections are handed to it. Who looks after them limits how long they may say nothing. */
  readonly #server = createServer({ maxHeaderSize }, refuse);

  constructor(options: TunnelSocketsOptions) {
    this.#options = options;
    this.#server.on("upgrade", (request, socket, early) => this.#take(request, socket, early));
  }

  accept(socket: TLSSocket, connection: AgentConnection): void {
    this.#connections.set(socket, connection);
    this.#server.emit("connection", socket);
  }

  #take(request: IncomingMessage, socket: Duplex, early: Buffer): void {
    const connection = this.#connections.get(socket);
    const take = this.#handlerFor(request);
    if (connection === undefined || take === undefined) {
      socket.destroy();
      return;
    }
    const call = { headers: request.headers, connection, requestId: this.#options.newRequestId() };
    void take(socketTunnelCall(call, socket, early));
  }

  #handlerFor({ url, headers }: IncomingMessage): TunnelHandler | undefined {
    return headers.upgrade === tunnelProtocol ? this.#options.tunnelHandlers.get(url ?? "") : undefined;
  }
}

function refuse(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { connection: "close" }).end();
}
