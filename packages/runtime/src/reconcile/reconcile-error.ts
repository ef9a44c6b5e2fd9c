import { BowlineError, redactText, type BowlineErrorOptions, type LogLevel } from "@bowline/core";

const pascalCase = /^[A-Z][A-Za-z0-9]{0,127}$/;

/** A reason stands in conditions and events, where programs compare it: one word in PascalCase, never a sentence. */
export function checkReason(reason: string): void {
  if (pascalCase.test(reason)) return;
  throw new BowlineError("InvalidArgument", `The reason "${reason}" must be one word in PascalCase.`);
}

/** How a failure wants to be told. */
interface Reporting {
  /** The type of the event to record, if any. */
  readonly event: "Normal" | "Warning" | "none";
  readonly logLevel: LogLevel;
}

interface ReconcileErrorOptions extends Omit<BowlineErrorOptions, "retryable"> {
  /** Overrides what is usual for this kind of error. */
  readonly reporting?: Partial<Reporting>;
}

/**
 * A person has to change something first: a field that cannot work, a credential that is refused. It is not tried
 * again until the key is added, which a change of the object does.
 */
export class TerminalError extends BowlineError {
  readonly reason: string;
  readonly reporting: Reporting;

  constructor(reason: string, message: string, options: ReconcileErrorOptions = {}) {
    super("ReconcileStalled", message, options);
    checkReason(reason);
    this.name = "TerminalError";
    this.reason = reason;
    this.reporting = { event: "Warning", logLevel: "error", ...options.reporting };
  }
}

interface WaitingErrorOptions extends ReconcileErrorOptions {
  readonly requeueAfterMs: number;
}

/** Something else has to happen first, and it is normal that it takes a while. No failure: attempts are not counted. */
export class WaitingError extends BowlineError {
  readonly reason: string;
  readonly requeueAfterMs: number;
  readonly reporting: Reporting;

  constructor(reason: string, message: string, options: WaitingErrorOptions) {
    super("ReconcileWaiting", message, options);
    checkReason(reason);
    this.name = "WaitingError";
    this.reason = reason;
    this.requeueAfterMs = options.requeueAfterMs;
    this.reporting = { event: "none", logLevel: "debug", ...options.reporting };
  }
}

/** The words of a condition, an event and a log line about something thrown. */
interface FailureReport extends Reporting {
  /** One word in PascalCase: the error's own reason, or its code. */
  readonly reason: string;
  /** One sentence for people, without secrets. */
  readonly message: string;
}

/** Errors that have their own idea of how to be told keep it; others are told as a warning under their code. */
export function failureReport(thrown: unknown): FailureReport {
  const error = BowlineError.from(thrown);
  const message = redactText(error.message);
  if (error instanceof TerminalError || error instanceof WaitingError)
    return { ...error.reporting, reason: error.reason, message };
  return { event: "Warning", logLevel: "error", reason: error.code, message };
}
