import { BowlineError, errorCodes, redactSecrets, serializeError } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import { BrokenPipe, brokenPipeExitCode, CommandExit, failureNotes } from "../command/failure.ts";
import { printableLine, printableText } from "../output/terminal-text.ts";
import type { Terminal } from "../command/terminal.ts";

export interface FailureReport {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly verbose: boolean;
}

/** Says on standard error what went wrong and what to do about it; returns the exit code. */
export function reportFailure(thrown: unknown, report: FailureReport): number {
  if (report.signal.reason instanceof BrokenPipe) return brokenPipeExitCode;
  if (thrown instanceof CommandExit) {
    const causeCode = thrown.cause === undefined ? 0 : reportFailure(thrown.cause, report);
    return Math.max(causeCode, thrown.exitCode);
  }
  const error = BowlineError.from(thrown);
  // A person who pressed Ctrl-C knows what happened.
  if (error.code === "Cancelled" && report.signal.aborted) return errorCodes.Cancelled.exitCode;
  const trace = report.verbose || (report.environment["BOWLINE_DEBUG"] ?? "") !== "";
  report.terminal.error(`${[...linesOf(error, trace), ...(trace ? traceOf(error) : [])].join("\n")}\n`);
  return errorCodes[error.code].exitCode;
}

function linesOf(error: BowlineError, trace: boolean): string[] {
  if (!isBug(error)) return [`error: ${printableLine(error.message)}`, ...failureNotes(error)];
  return [
    `error: This is a bug in Bowline: ${printableLine(error.message)}`,
    ...(trace ? [] : ["Please report it with the trace that you get with --verbose or BOWLINE_DEBUG=1."]),
  ];
}

/** The server's own bugs come with a request id, and are for whoever runs the server to look at. */
function isBug(error: BowlineError): boolean {
  return error.code === "Internal" && error.details?.["requestId"] === undefined;
}

function traceOf(error: BowlineError): string[] {
  const shown = redactSecrets(serializeError(isBug(error) ? (error.cause ?? error) : error));
  // JSON would show a stack on one line.
  return printableText(JSON.stringify(shown, undefined, 2).replaceAll(String.raw`\n`, "\n  ")).split("\n");
}
