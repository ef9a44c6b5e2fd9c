import type { ErrorBody } from "@bowline/api";
import { BowlineError, errorCodes, type ErrorCode } from "@bowline/core";

import { jsonOf, type Answer } from "./answer.ts";

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

/** What the server refused, in its own words; who answers in another way is no Bowline server. */
export function answerError(answer: Answer, server: string): BowlineError {
  try {
    const body = jsonOf(answer, server);
    if (isErrorBody(body)) return errorOf(body.error, answer.status);
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
