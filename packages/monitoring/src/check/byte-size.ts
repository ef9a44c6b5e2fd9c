import type { Field } from "../field/field.ts";

const pattern = /^(\d{1,15})(B|KB|KiB|MB|MiB|GB|GiB|TB|TiB|PB|PiB|EB|EiB)?$/u;
/** Prometheus counts in 64 bits, and refuses what does not fit. */
const maxBytes = 2 ** 63;
const exponents = "BKMGTPE";

/** A size as Prometheus writes it, in bytes: its `KB` counts by 1024, as its `KiB` does. */
export function parseByteSize(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * 1024 ** exponents.indexOf(match[2]?.[0] ?? "B");
  return bytes < maxBytes ? bytes : undefined;
}

export function readByteSize(field: Field): string | undefined {
  const text = field.word();
  if (text === undefined || parseByteSize(text) !== undefined) return text;
  field.reject(`${field.path} is no size.`, "Write a size such as 500KB, 10MB or 1GiB.");
  return undefined;
}

/** The smaller of two sizes, as it was written. */
export function smallerSize(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return (parseByteSize(a) ?? 0) <= (parseByteSize(b) ?? 0) ? a : b;
}
