import type { Logger } from "@bowline/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { AuditBuffer } from "@bowline/store";
import { refusalRecord } from "./request-records.ts";
import type { HttpLimits } from "./limits.ts";
import { errorAnswer, type ErrorAnswer } from "./error-answer.ts";
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
