import { BowlineError } from "./bowline-error.ts";

/** An error as a log line has it. */
interface SerializedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly stack?: string;
  readonly cause?: SerializedError;
  readonly errors?: readonly SerializedError[];
}

/** A chain of causes may be a circle, and an aggregate may hold an error per object: both end here. */
const longestChain = 8;
const mostErrors = 10;

/**
 * Takes from an error only what is known to be fit for a log. Foreign errors carry requests, headers and sockets in
 * properties of their own, so nothing is copied that is not named here.
 */
export function serializeError(thrown: unknown, depth = 1): SerializedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: describe(thrown) };
  return {
    type: thrown.name,
    ...codeOf(thrown),
    message: thrown.message,
    ...(thrown instanceof BowlineError ? ownFieldsOf(thrown) : stackOf(thrown)),
    ...(depth < longestChain ? relatedTo(thrown, depth + 1) : {}),
  };
}

/** An object somebody threw may hold anything: its type is all that is said of it. */
function describe(thrown: unknown): string {
  return typeof thrown === "string" ? thrown : Object.prototype.toString.call(thrown);
}

function ownFieldsOf(error: BowlineError): Partial<SerializedError> {
  return {
    retryable: error.retryable,
    ...(error.details === undefined ? {} : { details: error.details }),
    // The other codes are outcomes the code foresees; where they were made is of no interest.
    ...(error.code === "Internal" ? stackOf(error) : {}),
  };
}

function stackOf(error: Error): Partial<SerializedError> {
  return error.stack === undefined ? {} : { stack: error.stack };
}

function codeOf(error: Error): Partial<SerializedError> {
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" ? { code } : {};
}

function relatedTo(error: Error, depth: number): Partial<SerializedError> {
  return {
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause, depth) }),
    ...(error instanceof AggregateError
      ? { errors: error.errors.slice(0, mostErrors).map((each) => serializeError(each, depth)) }
      : {}),
  };
}
