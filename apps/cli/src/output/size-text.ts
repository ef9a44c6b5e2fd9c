const units = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number of bytes for people: `812 bytes`, `1.4 MiB`. */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_024 && unit + 1 < units.length) {
    size /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
