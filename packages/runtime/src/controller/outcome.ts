import { BowlineError } from "@bowline/core";

import { TerminalError, WaitingError } from "../reconcile/reconcile-error.ts";
import type { ReconcileResult } from "../reconcile/reconciler.ts";

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "requeue-after"; readonly delayMs: number }
  | { readonly kind: "waiting"; readonly delayMs: number; readonly error: WaitingError }
  | { readonly kind: "failed"; readonly error: BowlineError }
  | { readonly kind: "terminal"; readonly error: TerminalError }
  /** Somebody else works on the key, or may be. No fault of the object. */
  | { readonly kind: "unleased"; readonly error: BowlineError }
  /** The controller stopped in the middle of it. */
  | { readonly kind: "interrupted"; readonly error: BowlineError };

/** Why an attempt was told to end before it was done. */
export interface AbortCause {
  readonly why: "time limit" | "lease lost" | "stopped";
  readonly error: BowlineError;
}

/** The end of the reconciler's promise; "stuck", if it did not end though it was told to. */
export type RunEnd = { readonly result: ReconcileResult } | { readonly thrown: unknown } | "stuck";

export function outcomeOf(end: RunEnd, cause: AbortCause | undefined): Outcome {
  // Work that was done without the right to do it does not count, whatever it says.
  if (cause?.why === "lease lost") return { kind: "unleased", error: cause.error };
  if (end !== "stuck" && "result" in end) return outcomeOfResult(end.result);
  if (cause !== undefined) return outcomeOfAbort(cause);
  return outcomeOfThrown(end === "stuck" ? undefined : end.thrown);
}

function outcomeOfResult(result: ReconcileResult): Outcome {
  return result.kind === "requeue-after" ? (delayProblem(result.delayMs) ?? result) : result;
}

function outcomeOfAbort({ why, error }: AbortCause): Outcome {
  return why === "stopped" ? { kind: "interrupted", error } : { kind: "failed", error };
}

function outcomeOfThrown(thrown: unknown): Outcome {
  if (thrown instanceof TerminalError) return { kind: "terminal", error: thrown };
  if (thrown instanceof WaitingError) {
    const delayMs = thrown.requeueAfterMs;
    return delayProblem(delayMs) ?? { kind: "waiting", delayMs, error: thrown };
  }
  return { kind: "failed", error: BowlineError.from(thrown) };
}

function delayProblem(delayMs: number): Outcome | undefined {
  if (Number.isFinite(delayMs) && delayMs >= 0) return undefined;
  const message = `A reconcile asked to run again after ${delayMs} ms, which is no time to wait.`;
  return { kind: "failed", error: new BowlineError("InvalidArgument", message) };
}

/** The fate of a key after an attempt. */
export type NextStep =
  /** Nothing, until it is added again. */
  | { readonly kind: "finish" }
  /** It is looked at again at a time of its own choice; its failures are forgotten. */
  | { readonly kind: "requeue"; readonly delayMs: number }
  /** It failed, and is tried again after a delay that grows. */
  | { readonly kind: "retry" }
  /** It is given up until it is added again. */
  | { readonly kind: "dead-letter"; readonly error: BowlineError; readonly terminal: boolean }
  /** It is left to whoever holds it, and looked at again soon. */
  | { readonly kind: "step-aside" }
  /** It was not worked on to the end, and goes back as it came. */
  | { readonly kind: "give-back" };

export function nextStep(outcome: Outcome, attempt: number, maxAttempts: number): NextStep {
  switch (outcome.kind) {
    case "done":
      return { kind: "finish" };
    case "requeue-after":
    case "waiting":
      return { kind: "requeue", delayMs: outcome.delayMs };
    case "terminal":
      return { kind: "dead-letter", error: outcome.error, terminal: true };
    case "failed":
      if (attempt < maxAttempts) return { kind: "retry" };
      return { kind: "dead-letter", error: outcome.error, terminal: false };
    case "unleased":
      return { kind: "step-aside" };
    case "interrupted":
      break;
  }
  return { kind: "give-back" };
}
