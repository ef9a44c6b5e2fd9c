import { BowlineError, parseDurationMs } from "@bowline/core";

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
