import type { BowlineError } from "@bowline/core";

import type { Outcome } from "./outcome.ts";

/** What happens to a key after an attempt. */
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
