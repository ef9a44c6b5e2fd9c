import { BowlineError, codeOf } from "@bowline/core";

/** The transaction lost against another one and may be run again. */
const serializationFailures = new Set(["40001", "40P01"]);
const unavailableCodes = new Set([
  "57P01", // the server was told to stop
  "57P02", // another process of the server crashed
  "57P03", // it is starting
  "53300", // too many connections
  "53100", // its disk is full
  "53200", // it is out of memory
  "25006", // it is a replica that cannot be written
  "40003", // the outcome of a statement is not known
]);
const statementTimeout = "57014";
const brokenByName = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Messages of `pg` itself, which have no code: the connection ended, or nothing came in time. */
const brokenByMessage =
  /connection terminated|timeout exceeded|query read timeout|client has encountered a connection error|not queryable/iu;

export function isSerializationFailure(error: unknown): boolean {
  return error instanceof BowlineError && serializationFailures.has(codeOf(error.cause) ?? "");
}

/** Whether the state of the connection is not known any more. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  if (code.startsWith("08") || code.startsWith("57P") || brokenByName.has(code)) return true;
  return code === "" && error instanceof Error && brokenByMessage.test(error.message);
}

/** An error of PostgreSQL, or of the way there, as one of ours; everything else passes unchanged. */
export function postgresError(thrown: unknown): Error {
  if (thrown instanceof BowlineError) return thrown;
  const code = codeOf(thrown) ?? "";
  if (code === statementTimeout) {
    return new BowlineError("Timeout", "The database did not finish a statement in time.", { cause: thrown });
  }
  if (serializationFailures.has(code)) {
    return new BowlineError("DatabaseUnavailable", "The database was too busy to finish a transaction.", {
      cause: thrown,
    });
  }
  if (unavailableCodes.has(code) || isConnectionLost(thrown)) {
    return new BowlineError("DatabaseUnavailable", "The database cannot be reached or is not ready.", {
      cause: thrown,
    });
  }
  if (/^[0-9A-Z]{5}$/u.test(code)) {
    return new BowlineError("Internal", "The database refused a statement.", { cause: thrown });
  }
  return thrown instanceof Error ? thrown : BowlineError.from(thrown);
}
