import type { JsonSchema } from "../schema/json-schema.ts";
import { stringCheck } from "./read-string.ts";
import type { Reader } from "./reader.ts";
import { isRefusedKey } from "./refused-keys.ts";
import { wrongType } from "./type-name.ts";

export function mapReader(schema: JsonSchema, readValue: Reader): Reader {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const checkKey = stringCheck(schema.propertyNames ?? {});
  return (value, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report.add(wrongType("an object", value));
      return undefined;
    }
    const entries = Object.entries(value);
    if (entries.length > maxProperties) {
      report.add(`must have at most ${maxProperties} ${maxProperties === 1 ? "key" : "keys"}`);
      return undefined;
    }
    if (entries.length < minProperties)
      report.add(minProperties === 1 ? "must not be empty" : `must have at least ${minProperties} keys`);
    const copy: Record<string, unknown> = {};
    for (const [key, item] of entries) {
      if (report.full) break;
      report.path.push(key);
      const problem = checkKey(key);
      if (isRefusedKey(key)) report.add("is not allowed as a key");
      else if (problem !== undefined) report.add(`is not a valid key: it ${problem}`);
      else copy[key] = readValue(item, report);
      report.path.pop();
    }
    return copy;
  };
}
