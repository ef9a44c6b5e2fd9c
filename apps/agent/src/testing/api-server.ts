import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { onTestFinished } from "vitest";

/** An HTTP server that does what a test says, in place of the API server. */
export class ScriptedApiServer {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  /** How many connections were made to it so far. */
  connections = 0;

  constructor(respond: (request: IncomingMessage, response: ServerResponse) => void) {
    this.server = createServer(respond);
    // Or it would be the one to close idle connections, which the tests of the agent are to see the agent do.
    this.server.keepAliveTimeout = 600_000;
    this.server.on("connection", (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when nobody is connected any more. */
  async left(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => closed(socket)));
  }
}

export async function startApiServer(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ScriptedApiServer> {
  const scripted = new ScriptedApiServer(respond);
  scripted.server.listen(0, "127.0.0.1");
  await once(scripted.server, "listening");
  onTestFinished(() => {
    scripted.server.closeAllConnections();
    for (const socket of scripted.sockets) socket.destroy();
    scripted.server.close();
  });
  return scripted;
}

/** Resolves when a socket is closed, however. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}
