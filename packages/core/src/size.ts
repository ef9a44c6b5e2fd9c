const unitsBytes: Readonly<Record<string, number>> = {
  "": 1,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
};

/** Completes "it must be …". */
export const sizeForm = "a size such as 512KiB or 4MiB";

/**
 * The size in bytes, or undefined for what is none: `512KiB`, `4MiB`, or as Kubernetes writes it, `4Mi`. A bare number
 * is in bytes. There are no units of 1000 bytes, which everybody takes for those of 1024.
 */
export function parseSizeBytes(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})(?:([KMGT])iB?)?$/u.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unitsBytes[unit] ?? 0);
}
