import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { ClusterConnection } from "../config/cluster-connection.ts";
import type { KubeResponse } from "../transport.ts";
import type { TestCertificate } from "@bowline/test-services/certificates";

export type TestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestServerOptions {
  readonly tls?: TestCertificate & { readonly clientCa?: string };
  readonly http2?: boolean;
}

/** A real server on a free port of loopback that answers as the test says. */
export class TestServer {
  readonly url: string;
  readonly sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = `${scheme}://127.0.0.1:${port}`;
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
  }

  static async start(
    handler: TestHandler,
    { tls, http2 = false }: TestServerOptions = {},
  ): Promise<TestServer> {
    const secure =
      tls === undefined ? undefined : { cert: tls.cert, key: tls.key, ...clientCertificates(tls.clientCa) };
    const server = createServer(handler, secure, http2);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new TestServer(server, tls === undefined ? "http" : "https");
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

function createServer(handler: TestHandler, secure: object | undefined, http2: boolean): Server {
  if (secure === undefined) return createHttpServer(handler);
  if (!http2) return createHttpsServer(secure, handler);
  // The compatibility API gives HTTP/2 the same shape as HTTP/1.1.
  return createSecureServer({ ...secure, allowHTTP1: false }, handler as never);
}

function clientCertificates(ca: string | undefined): object {
  return ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: false };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A connection without credentials; tests say what is different. */
export function testConnection(server: string, parts: Partial<ClusterConnection> = {}): ClusterConnection {
  return {
    name: "test",
    server,
    namespace: "default",
    insecureSkipVerify: false,
    auth: { type: "none" },
    ...parts,
  };
}

export async function textOfBody(response: KubeResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
