import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { TerminalError, WaitingError } from "../reconcile/reconcile-error.ts";
import { done, requeueAfter } from "../reconcile/reconciler.ts";
import { nextStep, outcomeOf, type AbortCause } from "./outcome.ts";

const error = new BowlineError("Timeout", "Too slow.");
const terminal = new TerminalError("Bad", "Bad.");
const waiting = new WaitingError("Later", "Later.", { requeueAfterMs: 7 });
const causes: Readonly<Record<AbortCause["why"], AbortCause>> = {
  "time limit": { why: "time limit", error },
  "lease lost": { why: "lease lost", error },
  stopped: { why: "stopped", error },
};

describe("outcomeOf", () => {
  test.each([
    ["done", { result: done }, "done"],
    ["requeue after", { result: requeueAfter(5) }, "requeue-after"],
    ["thrown", { thrown: error }, "failed"],
    ["thrown terminal", { thrown: terminal }, "terminal"],
    ["thrown waiting", { thrown: waiting }, "waiting"],
  ] as const)("nobody interfered: %s", (_name, end, kind) => {
    expect(outcomeOf(end, undefined).kind).toBe(kind);
  });

  test.each([
    ["time limit", { result: done }, "done"],
    ["time limit", { thrown: terminal }, "failed"],
    ["time limit", "stuck", "failed"],
    ["stopped", { result: done }, "done"],
    ["stopped", { thrown: error }, "interrupted"],
    ["stopped", "stuck", "interrupted"],
    ["lease lost", { result: done }, "unleased"],
    ["lease lost", { thrown: terminal }, "unleased"],
    ["lease lost", "stuck", "unleased"],
  ] as const)("after an abort, %s: %j is %s", (why, end, kind) => {
    expect(outcomeOf(end, causes[why]).kind).toBe(kind);
  });
});

describe("nextStep", () => {
  test.each([
    [{ kind: "done" }, 1, "finish"],
    [{ kind: "requeue-after", delayMs: 5 }, 1, "requeue"],
    [{ kind: "waiting", delayMs: 5, error: waiting }, 3, "requeue"],
    [{ kind: "failed", error }, 1, "retry"],
    [{ kind: "failed", error }, 2, "retry"],
    [{ kind: "failed", error }, 3, "dead-letter"],
    [{ kind: "terminal", error: terminal }, 1, "dead-letter"],
    [{ kind: "unleased", error }, 3, "step-aside"],
    [{ kind: "interrupted", error }, 3, "give-back"],
  ] as const)("%j at attempt %i of 3", (outcome, attempt, kind) => {
    expect(nextStep(outcome, attempt, 3).kind).toBe(kind);
  });
});
