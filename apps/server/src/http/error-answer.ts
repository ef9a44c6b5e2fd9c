import type { ErrorBody } from "@bowline/api";
import { errorCodes, type BowlineError } from "@bowline/core";

/** An error as an HTTP answer. */
export interface ErrorAnswer {
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

/** What nobody foresaw may say anything, a secret for instance; the log has it. */
function publicText(error: BowlineError, status: number): { code: string; message: string } {
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
