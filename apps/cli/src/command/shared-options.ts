import { BowlineError, durationForm, parseDurationMs } from "@bowline/core";
import { Option } from "commander";

/** How objects are printed. */
export type OutputFormat = "table" | "wide" | "json" | "yaml" | "name";

export interface OutputOptions {
  readonly output: OutputFormat;
  /** `false` for `--no-headers`. */
  readonly headers: boolean;
  readonly showLabels: boolean;
}

/** Commands that say a line for each object unless told otherwise have no initial format. */
export function outputOption(formats: readonly OutputFormat[], initial?: OutputFormat): Option {
  return new Option("-o, --output <FORMAT>", "How to print it").choices(formats).default(initial);
}

export const noHeadersOption: readonly [flags: string, description: string] = [
  "--no-headers",
  "Leave out the line with the names of the columns",
];

/** The value of a flag such as `--limit 20`. */
export function parseCount(text: string): number {
  const count = /^[0-9]{1,9}$/u.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not a whole number above zero.`);
}

/** Timers of the platform hold no more milliseconds than this; longer waits are cut to it. */
const longestMs = 2 ** 31 - 1;

/** The value of a flag such as `--timeout 1m30s`, in milliseconds. */
export function parseDuration(text: string): number {
  const durationMs = text === "0" ? 0 : parseDurationMs(text);
  if (durationMs !== undefined) return Math.min(durationMs, longestMs);
  throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not ${durationForm}.`);
}

/** `--timeout` with its value when it is not given: as people write it, and not in milliseconds. */
export function timeoutOption(description: string, initial?: string): Option {
  const option = new Option("--timeout <DURATION>", description).argParser(parseDuration);
  return initial === undefined ? option : option.default(parseDuration(initial), initial);
}

const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u;

/** The time that is so long ago, such as `30m`, `12h` or `7d`, or that is written out. */
export function parseSince(text: string, nowMs: number): string {
  const agoMs = parseDurationMs(text);
  const sinceMs = agoMs === undefined ? timeOf(text) : nowMs - agoMs;
  if (!Number.isNaN(sinceMs) && sinceMs >= 0) return new Date(sinceMs).toISOString();
  throw new BowlineError(
    "InvalidArgument",
    `"${text.slice(0, 64)}" is neither a duration such as 30m or 7d nor a time such as 2026-01-02T09:30:00Z.`,
  );
}

function timeOf(text: string): number {
  return isTime.test(text) ? Date.parse(text) : Number.NaN;
}
