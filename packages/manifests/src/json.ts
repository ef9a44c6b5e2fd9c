/** Values that JSON can hold: all that a manifest consists of once it has been read. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * The one text that a value has: keys sorted by their UTF-16 units, no whitespace. Equal values have equal texts on every
 * machine, whatever order their keys were written in.
 */
export function canonicalJson(value: JsonValue): string {
  if (isJsonObject(value)) {
    const fields = Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
    return `{${fields.join(",")}}`;
  }
  return isJsonList(value) ? `[${value.map(canonicalJson).join(",")}]` : JSON.stringify(value);
}
