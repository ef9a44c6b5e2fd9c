import type { TextRule } from "./text-rule.ts";

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's notation for durations, as Kubernetes people write it: `90s`, `1h30m`, `1.5h`. */
export const duration: TextRule = {
  pattern: "^([0-9]{1,9}(\\.[0-9]{1,9})?(ms|s|m|h))+$",
  expects: "a duration such as 30s, 5m or 1h30m",
  minLength: 2,
  maxLength: 32,
};

const whole = new RegExp(duration.pattern, "u");
const part = /([0-9.]+)(ms|s|m|h)/gu;

/** The duration in milliseconds, or undefined for what is no duration. */
export function parseDurationMs(text: string): number | undefined {
  if (text.length > duration.maxLength || !whole.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(part)) totalMs += Number(amount) * (unitsMs[unit] ?? 0);
  return totalMs;
}
