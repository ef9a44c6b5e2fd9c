import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { BowlineError, codeOf } from "@bowline/core";

import { errorAnswer } from "./error-handler.ts";

interface OpenAnswer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Knows what each connection still has to be answered. */
export class OpenAnswers {
  readonly #open = new WeakMap<Socket, OpenAnswer[]>();

  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const answer = { request, response };
      const open = this.#openOn(socket);
      open.push(answer);
      response.once("close", () => void open.splice(open.indexOf(answer), 1));
    });
  }

  /** Whether something that has come in on the connection has not been answered to its end. */
  isBusy(socket: Socket): boolean {
    return (this.#open.get(socket)?.length ?? 0) > 0;
  }

  /** Whether what is sent now would be taken for the answer to something else than what has come in last. */
  isAwaited(socket: Socket): boolean {
    const open = this.#open.get(socket) ?? [];
    return open.some(({ request, response }) => request.complete || response.headersSent);
  }

  #openOn(socket: Socket): OpenAnswer[] {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const open: OpenAnswer[] = [];
    this.#open.set(socket, open);
    return open;
  }
}

export interface BrokenConnection {
  readonly socket: Socket;
  /** Whether an answer to something else is awaited on it, which this one would be taken for. */
  readonly isAwaited: boolean;
}

/** Answers what is no HTTP, or takes too long to become a request. Node gives up the connection in any case. */
export function answerClientError(
  error: Error,
  { socket, isAwaited }: BrokenConnection,
  requestId: string,
): void {
  const code = codeOf(error);
  if (!socket.writable || code === "ECONNRESET" || isAwaited) {
    socket.destroy();
    return;
  }
  const { status, body } = errorAnswer(clientError(code), requestId);
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${text}`);
  // Not only its own half: whether the other is ever ended is up to the client, and nobody looks after it any more.
  socket.destroySoon();
}

function clientError(code: unknown): BowlineError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new BowlineError("HeadersTooLarge", "The headers are larger than the server accepts.");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new BowlineError("RequestTimeout", "The request took too long to arrive.");
  }
  return new BowlineError("BadRequest", "What came is not a request of HTTP/1.1.");
}
