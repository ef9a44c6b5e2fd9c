import { BowlineError, durationForm, parseDurationMs } from "@bowline/core";
import { Option } from "commander";

/** Timers of the platform hold no more milliseconds than this; longer waits are cut to it. */
const longestMs = 2 ** 31 - 1;

/** The value of a flag such as `--timeout 1m30s`, in milliseconds. */
function parseDuration(text: string): number {
  const durationMs = text === "0" ? 0 : parseDurationMs(text);
  if (durationMs !== undefined) return Math.min(durationMs, longestMs);
  throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not ${durationForm}.`);
}

/** `--timeout` with its value when it is not given: as people write it, and not in milliseconds. */
export function timeoutOption(description: string, initial?: string): Option {
  const option = new Option("--timeout <DURATION>", description).argParser(parseDuration);
  return initial === undefined ? option : option.default(parseDuration(initial), initial);
}
