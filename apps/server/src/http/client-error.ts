import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

import { BowlineError, codeOf } from "@bowline/core";

import { errorAnswer } from "./error-answer.ts";

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
