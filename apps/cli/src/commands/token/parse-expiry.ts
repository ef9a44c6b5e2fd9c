import { parseDurationMs } from "@bowline/api";
import { BowlineError } from "@bowline/core";

const dayMs = 86_400_000;
const longUnitsMs: Readonly<Record<string, number>> = { d: dayMs, w: 7 * dayMs, y: 365 * dayMs };

/** The time that is so long from now: `12h`, `30d`, `2w` or `1y`. */
export function parseExpiry(text: string, nowMs: number): string {
  const [, amount, unit = ""] = /^(\d{1,5})([dwy])$/.exec(text) ?? [];
  const longMs = longUnitsMs[unit];
  const durationMs = longMs === undefined ? parseDurationMs(text) : Number(amount) * longMs;
  const endMs = nowMs + (durationMs ?? 0);
  // ISO 8601 has no way to write a year with five digits that everybody reads.
  if (durationMs !== undefined && durationMs > 0 && endMs < Date.UTC(9999, 0))
    return new Date(endMs).toISOString();
  throw new BowlineError(
    "InvalidArgument",
    `"${text.slice(0, 64)}" is not a duration such as 12h, 30d or 1y.`,
  );
}
