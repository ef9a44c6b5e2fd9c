import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { failureReport, TerminalError, WaitingError } from "./reconcile-error.ts";

describe("reconcile errors", () => {
  test("are errors of the family, told apart by their class", () => {
    const terminal = new TerminalError("UnknownProvider", 'There is no provider "x".');
    const waiting = new WaitingError("AgentOffline", "The agent is not connected.", { requeueAfterMs: 5 });
    expect(terminal).toBeInstanceOf(BowlineError);
    expect(terminal).not.toBeInstanceOf(WaitingError);
    expect(waiting).not.toBeInstanceOf(TerminalError);
    expect([terminal.retryable, waiting.retryable]).toEqual([false, true]);
  });

  test.each(["", "not one word", "lowerCase", "Snake_Case", "Dots.In.It"])(
    "refuse %j as a reason",
    (reason) => {
      expect(() => new TerminalError(reason, "Because.")).toThrow(/PascalCase/);
      expect(() => new WaitingError(reason, "Because.", { requeueAfterMs: 1 })).toThrow(/PascalCase/);
    },
  );
});

describe("failureReport", () => {
  test("a terminal error warns under its own reason", () => {
    const error = new TerminalError("UnknownProvider", 'There is no provider "x".');
    expect(failureReport(error)).toEqual({
      event: "Warning",
      logLevel: "error",
      reason: "UnknownProvider",
      message: 'There is no provider "x".',
    });
  });

  test("waiting is quiet, unless the error asks for more", () => {
    const quiet = new WaitingError("AgentOffline", "Not connected.", { requeueAfterMs: 5 });
    const loud = new WaitingError("AgentOffline", "Not connected.", {
      requeueAfterMs: 5,
      reporting: { event: "Normal" },
    });
    expect(failureReport(quiet)).toMatchObject({ event: "none", logLevel: "debug" });
    expect(failureReport(loud)).toMatchObject({ event: "Normal", logLevel: "debug" });
  });

  test("any other error is known by its code, and what is no error still gets a sentence", () => {
    expect(failureReport(new BowlineError("Timeout", "Too slow."))).toMatchObject({ reason: "Timeout" });
    expect(failureReport("broken")).toMatchObject({ reason: "Internal", message: "broken" });
    expect(failureReport(undefined)).toMatchObject({ reason: "Internal", message: "undefined" });
  });

  test("secrets do not get into conditions and events", () => {
    const report = failureReport(new Error("GET https://viewer:hunter2@git.example/x failed"));
    expect(report.message).not.toContain("hunter2");
    expect(report.message).toContain("git.example");
  });
});
