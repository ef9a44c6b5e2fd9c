import type { ServerResponse } from "node:http";

import type { ErrorBody } from "@bowline/api";
import { errorCodes, type Logger, type BowlineError } from "@bowline/core";
import type { AuditBuffer } from "@bowline/store";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { refusalRecord } from "./request-records.ts";
import type { HttpLimits } from "./limits.ts";
import { requestError } from "./request-error.ts";

export interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly audit: AuditBuffer;
  readonly limits: HttpLimits;
}

/** Turns whatever ends a request into an answer, and notes it where it belongs. */
export class ErrorHandler {
  readonly #options: ErrorHandlerOptions;

  constructor(options: ErrorHandlerOptions) {
    this.#options = options;
  }

  addTo(app: FastifyInstance): void {
    app.setErrorHandler((thrown, request, reply) => this.handle(thrown, request, reply));
  }

  handle(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, headers, body } = this.answer(thrown, request);
    return reply
      .code(status)
      .headers({ "x-request-id": request.id, ...headers })
      .send(body);
  }

  /** For whoever writes the answer themselves. */
  answer(thrown: unknown, request: FastifyRequest): ErrorAnswer {
    const answer = errorAnswer(requestError(thrown, this.#options.limits), request.id);
    if (answer.status === 500) this.#log(thrown, request);
    const record = refusalRecord(request, answer.status, answer.body.error.message);
    if (record !== undefined) this.#options.audit.record(record);
    return answer;
  }

  #log(thrown: unknown, request: FastifyRequest): void {
    const { method, id: requestId } = request;
    const [path] = request.url.split("?", 1);
    this.#options.logger.error({ err: thrown, requestId, method, path }, "A request failed.");
  }
}

/** Writes an error where Fastify does not write the answer any more. */
export function writeErrorAnswer(reply: FastifyReply, { status, headers, body }: ErrorAnswer): void {
  const { raw } = reply;
  if (raw.headersSent) {
    reasonsOfBreaks.set(raw, body.error);
    raw.destroy();
    return;
  }
  const text = JSON.stringify(body);
  raw.writeHead(status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  raw.end(text);
}

/** The words of an error, as clients are told them. */
export type ErrorWords = Pick<ErrorBody["error"], "code" | "message">;

/** For connections that can tell more than that an answer has broken off. */
const reasonsOfBreaks = new WeakMap<ServerResponse, ErrorWords>();

/** Breaks an answer off that has begun: HTTP has no words for why, but whoever carries the answer may have. */
export function breakOff(response: ServerResponse, error: BowlineError): void {
  reasonsOfBreaks.set(response, publicText(error, errorCodes[error.code].httpStatus));
  response.destroy();
}

/** Why an answer was broken off, if anybody has said so. */
export function reasonOfBreak(response: ServerResponse): ErrorWords | undefined {
  return reasonsOfBreaks.get(response);
}

/** An error as an HTTP answer. */
interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** As the schema of the body has it. */
const maxMessageLength = 8_192;
/** How long to wait when nothing better is known. */
const retryAfterSeconds = 2;

export function errorAnswer(error: BowlineError, requestId: string): ErrorAnswer {
  const status: number = errorCodes[error.code].httpStatus;
  const { fields, blockedBy } = detailsOf(error);
  return {
    status,
    headers: headersOf(error, status),
    body: {
      error: {
        ...publicText(error, status),
        ...(fields === undefined ? {} : { fields }),
        ...(blockedBy === undefined ? {} : { blockedBy }),
        requestId,
      },
    },
  };
}

/** An error that nobody foresaw may say anything, a secret for instance; the log has it. */
function publicText(error: BowlineError, status: number): ErrorWords {
  if (status !== 500) return { code: error.code, message: printable(error.message) };
  return {
    code: "Internal",
    message: "Something went wrong in the server; its log has more under the id of this request.",
  };
}

/** Messages quote what clients sent, and end up on terminals and in the audit log. */
function printable(message: string): string {
  return message
    .slice(0, maxMessageLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "\u{fffd}");
}

function headersOf(error: BowlineError, status: number): Record<string, string> {
  const { allow, retryAfterSeconds: wait = retryAfterSeconds } = detailsOf(error);
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (status === 405 && allow !== undefined) return { allow: allow.join(", ") };
  if (status === 429 || status === 503) return { "retry-after": String(wait) };
  return {};
}

interface KnownDetails {
  readonly fields?: ErrorBody["error"]["fields"];
  readonly blockedBy?: ErrorBody["error"]["blockedBy"];
  readonly allow?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** Details are JSON whose names mean the same wherever they are set. */
function detailsOf({ details = {} }: BowlineError): KnownDetails {
  return details;
}
