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
