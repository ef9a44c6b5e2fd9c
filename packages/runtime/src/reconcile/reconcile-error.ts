import { BowlineError, type BowlineErrorOptions, type LogLevel } from "@bowline/core";

import { checkReason } from "./reason.ts";

/** How a failure wants to be told. */
export interface Reporting {
  /** The type of the event to record, if any. */
  readonly event: "Normal" | "Warning" | "none";
  readonly logLevel: LogLevel;
}

export interface ReconcileErrorOptions extends Omit<BowlineErrorOptions, "retryable"> {
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

export interface WaitingErrorOptions extends ReconcileErrorOptions {
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
