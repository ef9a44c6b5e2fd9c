import type { JsonSchema } from "../schema/json-schema.ts";
import { wrongType, type Reader } from "./reader.ts";
import type { Report } from "./report.ts";

export function arrayReader(schema: JsonSchema, readItem: Reader): Reader {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const reportRepeats = repeatsReporter(schema);
  return (value, report) => {
    if (!Array.isArray(value)) {
      report.add(wrongType("a list", value));
      return undefined;
    }
    if (value.length > maxItems) {
      report.add(`must have at most ${items(maxItems)}`);
      return undefined;
    }
    if (value.length < minItems) report.add(`must have at least ${items(minItems)}`);
    const before = report.problems.length;
    const copy: unknown[] = [];
    for (let index = 0; index < value.length && !report.full; index += 1) {
      report.path.push(index);
      copy.push(readItem(value[index], report));
      report.path.pop();
    }
    if (report.problems.length === before) reportRepeats?.(copy, report);
    return copy;
  };
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

/** Sets and maps by key are checked after their items, whose types are then certain. */
function repeatsReporter(
  schema: JsonSchema,
): ((items: readonly unknown[], report: Report) => void) | undefined {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] === "map" && keys !== undefined) {
    return (list, report) => reportRepeatedKeys(list, keys, report);
  }
  if (schema.uniqueItems === true) return reportRepeatedItems;
  return undefined;
}

function reportRepeatedItems(list: readonly unknown[], report: Report): void {
  if (new Set(list).size === list.length) return;
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item)) report.addAt(index, "is in the list already");
    seen.add(item);
  }
}

function reportRepeatedKeys(list: readonly unknown[], keys: readonly string[], report: Report): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const identity = JSON.stringify(keys.map((key) => fieldOf(item, key)));
    if (seen.has(identity)) report.addAt(index, `has the same ${keys.join(" and ")} as an item before it`);
    seen.add(identity);
  }
}

function fieldOf(item: unknown, key: string): unknown {
  return typeof item === "object" && item !== null ? Reflect.get(item, key) : undefined;
}
