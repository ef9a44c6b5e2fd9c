import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

import { WebSocketServer, type WebSocket } from "ws";

import { rewriteSocket, type RewriteLine } from "../faults/rewrite-answer.ts";

/** A client that asks to go on with a WebSocket in place of an answer. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  /** For answers of the usual kind, after which the connection ends. */
  readonly response: ServerResponse;
  readonly socket: Duplex;
  /** Bytes that came right after the head. */
  readonly head: Buffer;
}

const bearerPrefix = "base64url.bearer.authorization.k8s.io.";
/** Nobody has reason to send more at once: input comes in pieces, and all else a client sends is not read. */
const longestMessageBytes = 1024 * 1024;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: longestMessageBytes,
});

/** Requests that named no subprotocol: the real server confirms an empty one, which most clients then refuse. */
const unnamed = new WeakSet<IncomingMessage>();
server.on("headers", (headers, request) => {
  if (unnamed.has(request)) headers.push("Sec-WebSocket-Protocol: ");
});

export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** The token that a client shows as one of its subprotocols, as browsers must; and whether it names another one. */
export function bearerProtocol(request: IncomingMessage): { token: string; isAlone: boolean } | undefined {
  if (!isWebSocketRequest(request)) return undefined;
  const all = offered(request);
  const shown = all.find((each) => each.startsWith(bearerPrefix));
  if (shown === undefined) return undefined;
  const token = Buffer.from(shown.slice(bearerPrefix.length), "base64url").toString();
  return { token, isAlone: all.length === 1 };
}

/** Changes the connection to a WebSocket, or answers why not. */
export class SocketUpgrade {
  readonly #asked: UpgradeRequest;
  #rewrite: RewriteLine | undefined;

  constructor(asked: UpgradeRequest) {
    this.#asked = asked;
  }

  /** What is sent over the socket goes through a function. */
  rewriteWith(rewrite: RewriteLine): void {
    this.#rewrite = rewrite;
  }

  get protocols(): readonly string[] {
    return offered(this.#asked.request).filter((each) => !each.startsWith(bearerPrefix));
  }

  /** Takes the first subprotocol of the client's that is among these; an empty one stands for a client with none. */
  accept(supported: readonly string[]): WebSocket | undefined {
    const wanted = this.protocols.length === 0 ? [""] : this.protocols;
    const chosen = wanted.find((each) => supported.includes(each));
    if (chosen === undefined) return this.#refuse(403);
    if (chosen === "") unnamed.add(this.#asked.request);
    return this.#change(chosen);
  }

  /** Takes any subprotocol, since it changes nothing; but only a client that says where it comes from, and names one. */
  acceptAny(): WebSocket | undefined {
    const { request } = this.#asked;
    if (request.headers.origin === undefined) return this.#refuse(403);
    const [only = "", second] = this.protocols;
    return second === undefined ? this.#change(only) : this.#refuse(400);
  }

  #change(protocol: string): WebSocket | undefined {
    const { request, response, socket, head } = this.#asked;
    if (protocol === "") delete request.headers["sec-websocket-protocol"];
    else request.headers["sec-websocket-protocol"] = protocol;
    response.detachSocket(request.socket);
    let changed: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (accepted) => {
      changed = accepted;
    });
    // A client that breaks the rules or goes is no failure of the server; the socket closes by itself.
    changed?.on("error", () => undefined);
    if (changed !== undefined && this.#rewrite !== undefined) rewriteSocket(changed, this.#rewrite);
    return changed;
  }

  #refuse(code: number): undefined {
    this.#asked.response.writeHead(code).end();
  }
}

function offered({ headers }: IncomingMessage): string[] {
  const header = headers["sec-websocket-protocol"] ?? "";
  return header
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
