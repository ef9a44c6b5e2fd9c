import { BowlineError, redactText } from "@bowline/core";

import { TerminalError, WaitingError, type Reporting } from "./reconcile-error.ts";

/** What a condition, an event and a log line say about something thrown. */
export interface FailureReport extends Reporting {
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
