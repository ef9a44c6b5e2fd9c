import type { Readable } from "node:stream";

import type { ErrorBody } from "@bowline/api";
import { BowlineError, errorCodes, type ErrorCode } from "@bowline/core";

/** The answer to a request, read to its end. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reads a body, and stops the server as soon as it sends more than fits. */
export async function readBody(body: Readable, maxBytes: number, subject: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream, which cancels the request.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The server sent more than ${maxBytes} bytes as ${subject}; ask for fewer objects at a time.`,
        { details: { maxBytes } },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The value of a JSON answer; `NotBowline` when it is something else, such as the login page of a proxy. */
export function jsonOf(answer: Answer, server: string): unknown {
  const type = answer.headers["content-type"] ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new BowlineError(
      "NotBowline",
      `${server} answered ${answer.status} with ${type === "" ? "no content type" : type.slice(0, 64)} instead of JSON; check the address, and whether a proxy or a login page answers in its place.`,
    );
  }
  try {
    return JSON.parse(answer.body.toString("utf8"));
  } catch (cause) {
    throw new BowlineError(
      "ResponseInvalid",
      `${server} sent an answer that is not valid JSON; if it lasts, look at proxies on the way.`,
      { cause, details: { httpStatus: answer.status } },
    );
  }
}

export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

/** For codes of a newer server than this client, and for errors of somebody in between. */
const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotSupported",
  409: "Conflict",
  410: "Expired",
  412: "PreconditionFailed",
  413: "Invalid",
  415: "BadRequest",
  422: "Invalid",
  429: "TooManyRequests",
  502: "ServerUnavailable",
  503: "ServerUnavailable",
  504: "ServerUnavailable",
};

/** The server's refusal in its own words; a server that answers in another way is none of Bowline's. */
export function answerError(answer: Answer, server: string): BowlineError {
  try {
    const body = jsonOf(answer, server);
    if (isErrorBody(body)) return errorOf(body.error, answer.status);
    if (isKubeStatus(body)) return statusError(body, answer.status);
  } catch (thrown) {
    // A load balancer says in HTML that nobody is there: worth another attempt, unlike a wrong address.
    if (answer.status < 500) return BowlineError.from(thrown);
  }
  return new BowlineError(
    codeFor(answer.status),
    `${server} answered ${answer.status} without saying why; look at its log, and at proxies on the way.`,
    { details: { httpStatus: answer.status } },
  );
}

/** The failure of a request to a cluster, as Kubernetes puts it; the server does the same for its own. */
interface KubeStatus {
  readonly kind: "Status";
  readonly message: string;
  readonly reason?: unknown;
}

function isKubeStatus(body: unknown): body is KubeStatus {
  if (typeof body !== "object" || body === null || !("kind" in body) || !("message" in body)) return false;
  return body.kind === "Status" && typeof body.message === "string" && body.message !== "";
}

function statusError({ message, reason }: KubeStatus, httpStatus: number): BowlineError {
  const code = typeof reason === "string" && isErrorCode(reason) ? reason : codeFor(httpStatus);
  return new BowlineError(code, message, { details: { httpStatus } });
}

/** The error of a body, or of the last event of a watch. */
export function errorOf(error: ErrorBody["error"], httpStatus?: number): BowlineError {
  const { code, message, ...details } = error;
  const known = isErrorCode(code);
  return new BowlineError(known ? code : codeFor(httpStatus ?? 500), message, {
    details: {
      ...details,
      ...(httpStatus === undefined ? {} : { httpStatus }),
      ...(known ? {} : { serverCode: code }),
    },
  });
}

function codeFor(status: number): ErrorCode {
  return codeOfStatus[status] ?? (status >= 500 ? "ServerError" : "BadRequest");
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** Looks only at what is used: a newer server may say more than this client knows. */
function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  return isErrorDetail(body.error);
}

export function isErrorDetail(error: unknown): error is ErrorBody["error"] {
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error))
    return false;
  return typeof error.code === "string" && typeof error.message === "string";
}
