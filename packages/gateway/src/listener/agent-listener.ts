import {
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { TLSSocket } from "node:tls";

import { BowlineError, type Clock } from "@bowline/core";
import {
  refuseTunnel as refuseCall,
  tunnelHttp2Options,
  tunnelProtocol,
  widenSessionWindow,
} from "@bowline/protocol";

import type { AgentCall, CallHandler, TunnelHandler } from "./agent-call.ts";
import { AgentConnection, type ConnectionUse, IdleConnections } from "./agent-connection.ts";
import { TunnelSockets } from "./tunnel-sockets.ts";

export interface AgentListenerOptions {
  /** By the path of the call. */
  readonly handlers: ReadonlyMap<string, CallHandler>;
  /** Take the connections that carry a tunnel and nothing else, by the path that those ask for. */
  readonly tunnelHandlers: ReadonlyMap<string, TunnelHandler>;
  readonly clock: Clock;
  readonly newRequestId: () => string;
}

/** How long a connection may be open without an agent that has proven itself. */
const unauthenticatedLimitMs = 15_000;

/** How many connections may be without one at once. Agents come back with jitter: a thousand a second are not met in practice. */
const maxUnauthenticated = 2_000;

/** Calls on one connection: a session, a report, a join, and tunnels. */
const maxCalls = 32;

const http2Options: ServerOptions = {
  ...tunnelHttp2Options,
  settings: {
    ...tunnelHttp2Options.settings,
    maxConcurrentStreams: maxCalls,
    maxHeaderListSize: 16 * 1024,
  },
  maxHeaderListPairs: 64,
  maxSessionInvalidFrames: 16,
  maxSessionRejectedStreams: 16,
};

/** Speaks with agents on their sockets, most of it in HTTP/2, and hands their calls to the services they are for. */
export class AgentListener {
  readonly #options: AgentListenerOptions;
  readonly #connections = new Set<AgentConnection>();
  readonly #unauthenticated: IdleConnections;
  readonly #tunnels: TunnelSockets;
  #isClosing = false;
  #onEmpty = (): void => {};

  constructor(options: AgentListenerOptions) {
    this.#options = options;
    this.#unauthenticated = new IdleConnections(options.clock, unauthenticatedLimitMs);
    this.#tunnels = new TunnelSockets(options);
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Takes a socket whose client has chosen the protocol of agents. */
  accept(socket: TLSSocket): void {
    // Errors are followed by a close, which is what matters.
    socket.on("error", () => {});
    if (!socket.writable || this.#isClosing || this.#unauthenticated.size >= maxUnauthenticated) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    if (socket.alpnProtocol === tunnelProtocol) this.#acceptTunnel(socket);
    else this.#acceptCalls(socket);
  }

  #acceptTunnel(socket: TLSSocket): void {
    const connection = this.#add(socket);
    socket.once("close", () => this.#closed(connection));
    this.#tunnels.accept(socket, connection);
  }

  #acceptCalls(socket: TLSSocket): void {
    const session = performServerHandshake(socket, http2Options);
    const connection = this.#add(socket, session);
    widenSessionWindow(session);
    session.on("error", () => {});
    session.on("stream", (stream, headers) => this.#call(connection, stream, headers));
    session.once("close", () => this.#closed(connection));
  }

  /** Accepts no more, and closes connections without calls. Calls under way are for the services that answer them to end. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.close();
  }

  /** Resolves when no connection is left. */
  async closed(): Promise<void> {
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /** Cuts what is left. */
  destroy(): void {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.destroy();
  }

  #add(socket: TLSSocket, session?: ServerHttp2Session): AgentConnection {
    const listeners: ConnectionUse = {
      useful: () => this.#unauthenticated.delete(connection),
      useless: () => this.#unauthenticated.add(connection),
    };
    const connection = new AgentConnection(socket, listeners, session);
    this.#connections.add(connection);
    this.#unauthenticated.add(connection);
    return connection;
  }

  #call(connection: AgentConnection, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // The reader of the call is told; there must be a listener before there is a reader.
    stream.on("error", () => {});
    const path = String(headers[":path"]);
    const handler = headers[":method"] === "POST" ? this.#options.handlers.get(path) : undefined;
    if (handler === undefined) {
      refuseCall(stream, new BowlineError("NotFound", "The server of agents has no such call."));
      return;
    }
    const call: AgentCall = { stream, headers, connection, requestId: this.#options.newRequestId() };
    void handler(call);
  }

  #closed(connection: AgentConnection): void {
    this.#connections.delete(connection);
    this.#unauthenticated.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
  }
}
