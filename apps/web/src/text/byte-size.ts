const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
const step = 1_024;

/** An amount of bytes for people: three digits at most, and the unit. */
export function byteSize(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= step && unit < units.length - 1) {
    amount /= step;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 100 ? 0 : 1;
  return `${amount.toFixed(digits)} ${units[unit] ?? ""}`;
}
