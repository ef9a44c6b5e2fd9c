import { isRecord } from "./unknown-values.ts";

/**
 * The one text that a JSON value has: keys sorted by their UTF-16 units, no whitespace. Equal values have equal texts on
 * every machine, whatever order their keys were written in.
 */
export function canonicalJson(value: unknown): string {
  if (isRecord(value)) {
    const fields = Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${fields.join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return JSON.stringify(value ?? null);
}
