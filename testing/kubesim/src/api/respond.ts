import type { ServerResponse } from "node:http";

import { SimStatusError } from "../store/sim-status-error.ts";
import { internalError } from "../store/status-errors.ts";

/** How many characters of a long list are put together before they go to the socket. */
const chunkLength = 256 * 1024;

export function sendJson(response: ServerResponse, code: number, value: unknown): void {
  sendText(response, { code, type: "application/json", text: `${JSON.stringify(value)}\n` });
}

export interface TextAnswer {
  readonly code: number;
  readonly type: string;
  readonly text: string | Buffer;
}

export function sendText(response: ServerResponse, answer: TextAnswer): void {
  const bytes = typeof answer.text === "string" ? Buffer.from(answer.text) : answer.text;
  response.writeHead(answer.code, { "content-type": answer.type, "content-length": bytes.length });
  response.end(bytes);
}

/** Answers with what went wrong; a failure that nobody foresaw is a 500, as in the real server. */
export function sendError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof SimStatusError
      ? error
      : internalError(error instanceof Error ? error.message : String(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfterSeconds = known.details?.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  // The rest of a body that nobody read must not be taken for the next request.
  if (known.code === 413) response.setHeader("connection", "close");
  sendJson(response, known.code, known.toStatus());
}

/** Sends a long JSON text in pieces, at the pace of the reader, so that no list is ever in memory as a whole. */
export async function sendPieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  let pending = "";
  for (const piece of pieces) {
    pending += piece;
    if (pending.length < chunkLength) continue;
    if (!response.write(pending)) await drained(response);
    if (response.destroyed) return;
    pending = "";
  }
  response.end(pending);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
