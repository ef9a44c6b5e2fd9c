import { errorCodes, type ErrorCode } from "./error-codes.ts";

export interface BowlineErrorOptions {
  readonly cause?: unknown;
  /** Facts for programs: never secrets, always JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Overrides what the code table says, where the place that throws knows better. */
  readonly retryable?: boolean;
}

/** Two copies of this module (a bundle and a source tree) still recognise each other's errors by this mark. */
const mark = Symbol.for("bowline.error");

/**
 * The one error class. `code` is for programs and is listed in `docs/reference/errors.md`; `message` is one sentence
 * that tells a person what happened and what to do about it.
 */
export class BowlineError extends Error {
  readonly [mark] = true;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: BowlineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "BowlineError";
    this.code = code;
    this.retryable = options.retryable ?? errorCodes[code].retryable;
    this.details = options.details;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // Inherited by subclasses, which must not claim every error of the family.
    if (this !== BowlineError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && mark in value;
  }

  /** Passes a BowlineError through and wraps anything else, so that a rim can rely on `code`. */
  static from(thrown: unknown): BowlineError {
    if (thrown instanceof BowlineError) return thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new BowlineError(codeOf(thrown), message, { cause: thrown });
  }
}

/** The platform's own signals tell by name that somebody gave up, or that a time limit passed: neither is a bug. */
function codeOf(thrown: unknown): ErrorCode {
  const name = thrown instanceof Error ? thrown.name : undefined;
  if (name === "AbortError") return "Cancelled";
  if (name === "TimeoutError") return "Timeout";
  return "Internal";
}
