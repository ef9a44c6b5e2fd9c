import { BowlineError, durationForm, parseDurationMs } from "@bowline/core";

/** Of the API, which says it less clearly. */
const [minSeconds, maxSeconds] = [60, 7 * 86_400];

/** How long a join token works, from `45m` or `24h`: in the seconds that the API takes. */
export function joinLifetimeSeconds(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) {
    throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not ${durationForm}.`);
  }
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds >= minSeconds && seconds <= maxSeconds) return seconds;
  throw new BowlineError("InvalidArgument", `A join token works between a minute and a week, not ${text}.`);
}
