import { BowlineError, errorCodes } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { BrokenPipe, CommandExit } from "../command/failure.ts";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { reportFailure, type FailureReport } from "./report-failure.ts";

function report(thrown: unknown, options: Partial<FailureReport> = {}): { code: number; error: string } {
  const terminal = new FakeTerminal();
  const signal = new AbortController().signal;
  const code = reportFailure(thrown, { terminal, environment: {}, signal, verbose: false, ...options });
  return { code, error: terminal.errors };
}

test.each([
  ["NotFound", 1],
  ["InvalidArgument", 2],
  ["Timeout", 1],
] as const)("%s ends with exit code %i and one sentence", (code, exitCode) => {
  expect(report(new BowlineError(code, "It is so."))).toEqual({
    code: exitCode,
    error: "error: It is so.\n",
  });
});

test("several wrong fields are listed, one is not said twice", () => {
  const one = { path: "spec.region", message: "must be a region" };
  const sentence = "Cluster is not valid: spec.region must be a region";
  expect(report(new BowlineError("Invalid", `${sentence}.`, { details: { fields: [one] } })).error).toBe(
    `error: ${sentence}.\n`,
  );
  const fields = [one, { path: "", message: "must be an object" }];
  expect(
    report(new BowlineError("Invalid", `${sentence} (and 1 more).`, { details: { fields } })).error,
  ).toBe(
    `error: ${sentence} (and 1 more).\n  spec.region: must be a region\n  the object: must be an object\n`,
  );
});

test("what is in the way is listed", () => {
  const blockedBy = [{ kind: "WorkloadInstance", name: "web", field: "spec.definition" }];
  expect(report(new BowlineError("StillReferenced", "It is in use.", { details: { blockedBy } })).error).toBe(
    "error: It is in use.\n  workloadinstance/web (spec.definition)\n",
  );
});

test("the request id is shown where the server's log helps", () => {
  const requestId = "req-1";
  const failed = new BowlineError("Internal", "The server failed.", {
    details: { requestId, httpStatus: 500 },
  });
  expect(report(failed)).toEqual({
    code: 1,
    error: "error: The server failed.\nThe server's log has more under request req-1.\n",
  });
  const missing = new BowlineError("NotFound", "Not there.", { details: { requestId, httpStatus: 404 } });
  expect(report(missing).error).toBe("error: Not there.\n");
});

describe("a bug", () => {
  test("says that it is one, and how to get a trace", () => {
    const { code, error } = report(new TypeError("x is not a function"));
    expect(code).toBe(1);
    expect(error).toBe(
      "error: This is a bug in Bowline: x is not a function\nPlease report it with the trace that you get with --verbose or BOWLINE_DEBUG=1.\n",
    );
  });

  test.each([{ verbose: true }, { environment: { BOWLINE_DEBUG: "1" } }])(
    "shows the trace with %j",
    (options) => {
      const { error } = report(new TypeError("x is not a function"), options);
      expect(error).toContain("report-failure.test.ts");
      expect(error).not.toContain("Please report it");
    },
  );
});

test("more is said when asked for, without secrets", () => {
  const cause = new Error("connect ECONNREFUSED", { cause: new Error("authorization=Bearer abcdefghijkl") });
  const error = new BowlineError("ConnectionFailed", "Nothing listens.", {
    cause,
    details: { token: "bwl_x" },
  });
  const { error: shown } = report(error, { verbose: true });
  expect(shown).toContain("ECONNREFUSED");
  expect(shown).not.toContain("abcdefghijkl");
  expect(shown).not.toContain("bwl_x");
});

test("what a server says cannot control the terminal", () => {
  expect(report(new BowlineError("NotFound", "\u001B[2Jgone\nerror: fake")).error).toBe(
    String.raw`error: \u001b[2Jgone error: fake` + "\n",
  );
});

test("who pressed Ctrl-C, or closed the pipe, is told nothing", () => {
  const stopped = AbortSignal.abort(new BowlineError("Cancelled", "Interrupted."));
  expect(report(new BowlineError("Cancelled", "Interrupted."), { signal: stopped })).toEqual({
    code: 130,
    error: "",
  });
  const broken = AbortSignal.abort(new BrokenPipe());
  expect(report(new Error("anything"), { signal: broken })).toEqual({ code: 141, error: "" });
});

test("a command may have an exit code of its own", () => {
  expect(report(new CommandExit(1))).toEqual({ code: 1, error: "" });
  expect(report(new CommandExit(1, new BowlineError("NotFound", "Gone.")))).toEqual({
    code: 1,
    error: "error: Gone.\n",
  });
  expect(report(new CommandExit(1, new BowlineError("InvalidArgument", "No."))).code).toBe(
    errorCodes.InvalidArgument.exitCode,
  );
});
