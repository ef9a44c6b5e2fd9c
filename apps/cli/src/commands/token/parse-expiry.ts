import { BowlineError, parseDurationMs } from "@bowline/core";

/** The time that is so long from now: `12h`, `30d`, `2w` or `1y`. */
export function parseExpiry(text: string, nowMs: number): string {
  const durationMs = parseDurationMs(text);
  const endMs = nowMs + (durationMs ?? 0);
  // ISO 8601 has no way to write a year with five digits that everybody reads.
  if (durationMs !== undefined && durationMs > 0 && endMs < Date.UTC(9999, 0))
    return new Date(endMs).toISOString();
  throw new BowlineError(
    "InvalidArgument",
    `"${text.slice(0, 64)}" is not a duration such as 12h, 30d or 1y.`,
  );
}
