const dayMs = 86_400_000;
const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
  y: 365 * dayMs,
};
const whole = /^(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|[smhdwy]))+$/u;
const part = /([0-9.]+)(ms|[smhdwy])/gu;
const maxLength = 32;

/** Completes "it must be …". */
export const durationForm = "a duration such as 30s, 1h30m or 7d";

/**
 * The duration in milliseconds, or undefined for what is none. It is Go's notation, as Kubernetes people write it, with
 * days, weeks and years of 365 days on top: `90s`, `1h30m`, `1.5h`, `7d`. All flags, settings and fields of ours are
 * read by this; Prometheus has a notation of its own.
 */
export function parseDurationMs(text: string): number | undefined {
  if (text.length > maxLength || !whole.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(part)) totalMs += Number(amount) * (unitsMs[unit] ?? 0);
  return totalMs;
}
