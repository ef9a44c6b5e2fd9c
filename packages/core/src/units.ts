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

const pattern =
  /^([+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?)([numkMGTPE]|[KMGTPE]i)?$/u;
const scales: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * A quantity of the Kubernetes API (`1.5`, `500m`, `2Gi`) as a number; undefined for what is none. Equal amounts give
 * equal numbers, however they are written: more digits than these would differ by how they were multiplied.
 */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const match = typeof value === "string" ? pattern.exec(value) : null;
  if (match === null) return undefined;
  const amount = Number(match[1]) * (scales[match[2] ?? ""] ?? 1);
  return Number.isFinite(amount) ? Number(amount.toPrecision(15)) : undefined;
}

/** Completes "it must be …". */
export const sizeForm = "a size such as 512KiB or 4MiB";

/**
 * The size in bytes, or undefined for what is none: `512KiB`, `4MiB`, or as Kubernetes writes it, `4Mi`. A bare number
 * is in bytes. There are no units of 1000 bytes, which everybody takes for those of 1024.
 */
export function parseSizeBytes(text: string): number | undefined {
  return /^\d{1,9}(?:[KMGT]iB?)?$/u.test(text) ? parseQuantity(text.replace(/B$/u, "")) : undefined;
}
