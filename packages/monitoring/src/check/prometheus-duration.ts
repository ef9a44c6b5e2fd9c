import type { Field } from "../field/field.ts";

const pattern =
  /^(?:(\d{1,9})y)?(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/u;
/** Prometheus counts nanoseconds in 64 bits, and refuses what does not fit. */
const longestMs = 9_223_372_036_854;
const unitsMs = [31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1];

/** A duration as Prometheus writes it (`1d12h`, `30s`), in milliseconds; undefined for what is none. */
export function parsePrometheusDurationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const match = text === "" ? null : pattern.exec(text);
  if (match === null) return undefined;
  const durationMs = unitsMs.reduce((sum, unitMs, index) => sum + unitMs * Number(match[index + 1] ?? 0), 0);
  return durationMs <= longestMs ? durationMs : undefined;
}

/** The text of a duration that Prometheus will accept. */
export function readDuration(field: Field): string | undefined {
  const text = field.word();
  if (text === undefined || parsePrometheusDurationMs(text) !== undefined) return text;
  field.reject(`${field.path} is no duration.`, "Write a duration such as 30s, 5m or 1h30m.");
  return undefined;
}
