import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { BowlineError } from "@bowline/core";
import type { KubeObject } from "../object.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { AsyncQueue } from "./async-queue.ts";

/** One request that the test answers by hand, byte by byte if it likes. */
export class Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly #response: ServerResponse;
  /** Resolves when the connection of this exchange has ended, from whichever side. */
  readonly closed: Promise<void>;

  constructor(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    const url = new URL(request.url ?? "/", "http://server");
    this.method = request.method ?? "";
    this.path = url.pathname;
    this.query = url.searchParams;
    this.headers = request.headers;
    this.body = body.toString("utf8");
    this.#response = response;
    this.closed = new Promise((resolve) => {
      response.once("close", () => resolve());
    });
  }

  json(value: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end(JSON.stringify(value));
  }

  status(code: number, reason: string, headers: Record<string, string> = {}): void {
    const message = `${reason} for a test`;
    this.json({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message }, code, headers);
  }

  /** A list of these objects, which ends at `resourceVersion` and goes on at `continueToken`. */
  list(items: readonly unknown[], resourceVersion: string, continueToken = ""): void {
    this.json({
      kind: "PodList",
      apiVersion: "v1",
      metadata: { resourceVersion, ...(continueToken === "" ? {} : { continue: continueToken }) },
      items,
    });
  }

  /** Accepts a watch. */
  open(): this {
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.flushHeaders();
    return this;
  }

  event(type: string, object: unknown): this {
    return this.write(`${JSON.stringify({ type, object })}\n`);
  }

  bookmark(resourceVersion: string, initialEventsEnd = false): this {
    const annotations = initialEventsEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
    return this.event("BOOKMARK", {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { resourceVersion, annotations },
    });
  }

  write(bytes: string | Uint8Array): this {
    this.#response.write(bytes);
    return this;
  }

  /** Writes as long as the other side reads, and resolves to what was taken when it stops or `limitBytes` are out. */
  async flood(line: string, limitBytes: number): Promise<number> {
    let sent = 0;
    while (sent < limitBytes) {
      const flushed = this.#response.write(line);
      sent += line.length;
      if (flushed) continue;
      const drained = once(this.#response, "drain").then(() => true);
      if (!(await Promise.race([drained, stalled()]))) return sent;
    }
    return sent;
  }

  /** Ends the answer as a server does. */
  end(): void {
    this.#response.end();
  }

  /** Tears the connection. */
  cut(): void {
    this.#response.socket?.destroy();
  }
}

/** Long enough for a loopback socket to make progress if anybody reads it. */
function stalled(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), 150);
  });
}

/** An HTTP server whose every answer is written by the test, and a transport to it. */
export class ScriptedServer implements AsyncDisposable {
  readonly transport: Transport;
  readonly #server: Server;
  readonly #exchanges: AsyncQueue<Exchange>;

  private constructor(server: Server, exchanges: AsyncQueue<Exchange>, detectsDeadPeer: boolean) {
    this.#server = server;
    this.#exchanges = exchanges;
    const { port } = server.address() as AddressInfo;
    this.transport = {
      detectsDeadPeer,
      request: (request) => send(port, request),
      close: () => Promise.resolve(),
    };
  }

  static async start(options: { readonly detectsDeadPeer?: boolean } = {}): Promise<ScriptedServer> {
    const exchanges = new AsyncQueue<Exchange>();
    const server = createServer((request, response) => {
      void buffer(request).then((body) => exchanges.push(new Exchange(request, body, response)));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ScriptedServer(server, exchanges, options.detectsDeadPeer ?? false);
  }

  /** The next request, as soon as it comes. */
  next(): Promise<Exchange> {
    return this.#exchanges.next();
  }

  /** Requests that came and nobody asked for. */
  get unanswered(): number {
    return this.#exchanges.pending.length;
  }

  async connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function send(port: number, { method, path, headers, body, signal }: KubeRequest): Promise<KubeResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, method, path, headers, signal, agent: false });
    request.once("error", (cause) => {
      reject(new BowlineError("ConnectionFailed", "The scripted server cannot be reached.", { cause }));
    });
    request.once("response", (response) => {
      // A stream that is destroyed after its end reports an abort nobody waits for.
      request.on("error", () => undefined);
      resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), body: response });
    });
    request.end(body);
  });
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

export interface PodOptions {
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly phase?: string;
}

/** A pod with what an informer looks at. */
export function pod(name: string, resourceVersion: string, options: PodOptions = {}): KubeObject {
  const { namespace = "shop", uid = `uid-${name}`, labels = {}, phase = "Running" } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid, resourceVersion, labels },
    status: { phase },
  };
}
