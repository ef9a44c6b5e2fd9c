import { errorCodes, type BowlineError } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";

/**
 * Ends a command with an exit code of its own. What is in `cause` is still to be reported; without one, the command has
 * said everything already, or there is nothing to say, as when `diff` has found differences.
 */
export class CommandExit extends Error {
  override readonly name = "CommandExit";
  readonly exitCode: number;

  constructor(exitCode: number, cause?: unknown) {
    super(`The command ended with exit code ${exitCode}.`, { cause });
    this.exitCode = exitCode;
  }
}

/** Why a command was told to stop whose output nobody reads any more, as after `bowline get … | head`. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

/** The exit code that a shell reports for a process that wrote into such a pipe: 128 and the number of SIGPIPE. */
export const brokenPipeExitCode = 141;

/** Lines below the sentence: every wrong field, what is in the way, where to read more. */
export function failureNotes(error: BowlineError): string[] {
  return [...fieldNotes(error), ...blockerNotes(error), ...usageNotes(error), ...requestNotes(error)];
}

/** The sentence names the first field already, so a list is worth it from two on. */
function fieldNotes({ details }: BowlineError): string[] {
  const fields = recordsIn(details?.["fields"]);
  if (fields.length < 2) return [];
  return fields.map(({ path, message }) => {
    const where = textOf(path);
    return `  ${where === "" ? "the object" : where}: ${textOf(message)}`;
  });
}

function blockerNotes({ details }: BowlineError): string[] {
  return recordsIn(details?.["blockedBy"]).map(
    ({ kind, name, field }) =>
      `  ${textOf(kind).toLowerCase()}/${textOf(name)} (${textOf(field).replaceAll("[]", "")})`,
  );
}

function usageNotes({ details }: BowlineError): string[] {
  const usage = details?.["usage"];
  return typeof usage === "string" ? [`Run "${usage}" for usage.`] : [];
}

/** Only where the server is at fault is its log of any use to whoever reads this. */
function requestNotes({ code, details }: BowlineError): string[] {
  const status = details?.["httpStatus"] ?? errorCodes[code].httpStatus;
  const requestId = details?.["requestId"];
  if (typeof requestId !== "string" || typeof status !== "number" || status < 500) return [];
  return [`The server's log has more under request ${textOf(requestId)}.`];
}

function recordsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? printableLine(value) : "";
}
