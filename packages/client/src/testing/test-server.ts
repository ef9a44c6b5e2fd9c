import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { TestCertificate } from "./test-authority.ts";

/** A request with its body read. */
export interface TestRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type TestHandler = (request: TestRequest, response: ServerResponse) => void;

/** A real server on a free port of loopback that answers as the test says, however badly. */
export class TestServer implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: TestRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `${scheme}://127.0.0.1:${this.port}`;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(handler: TestHandler, tls?: TestCertificate): Promise<TestServer> {
    const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
      const read = async (): Promise<void> => {
        const request = await readRequest(incoming);
        started.requests.push(request);
        handler(request, response);
      };
      void read();
    };
    const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const started = new TestServer(server, tls === undefined ? "http" : "https");
    return started;
  }

  /** Takes over connections that want to become something else than HTTP; without it they are refused. */
  onUpgrade(take: (request: IncomingMessage, socket: Duplex) => void): void {
    this.#server.on("upgrade", take);
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Cuts every connection there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

async function readRequest(incoming: IncomingMessage): Promise<TestRequest> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // A client that went away has sent what it has sent.
  }
  return {
    method: incoming.method ?? "",
    url: incoming.url ?? "",
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: object = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** The body of an error, as the API has it. */
export function errorBody(code: string, message: string, more: object = {}): object {
  return { error: { code, message, requestId: "req-1", ...more } };
}
