import { stringCheck } from "./read-string.ts";
import { isRefusedKey, typeName } from "./reader.ts";
import type { Report } from "./report.ts";

const checkText = stringCheck({});
/** Deeper values are refused rather than followed: this reader recurses. */
const maxDepth = 32;

/** Copies any JSON, for fields whose content is not ours to judge. */
export function readAnything(value: unknown, report: Report): unknown {
  return readNested(value, report, 0);
}

function readNested(value: unknown, report: Report, depth: number): unknown {
  if (depth > maxDepth) {
    report.add(`must not be nested deeper than ${maxDepth} levels`);
    return undefined;
  }
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return readText(value, report);
  if (typeof value === "number") return readNumber(value, report);
  if (Array.isArray(value)) return readList(value, report, depth);
  if (typeof value === "object") return readObject(value, report, depth);
  report.add(`must be JSON, not ${typeName(value)}`);
  return undefined;
}

function readNumber(value: number, report: Report): number {
  if (!Number.isFinite(value)) report.add("must be a number that JSON can hold");
  return value + 0;
}

function readText(value: string, report: Report): string {
  const problem = checkText(value);
  if (problem !== undefined) report.add(problem);
  return value;
}

function readList(values: readonly unknown[], report: Report, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (let index = 0; index < values.length && !report.full; index += 1) {
    report.path.push(index);
    copy.push(readNested(values[index], report, depth + 1));
    report.path.pop();
  }
  return copy;
}

function readObject(value: object, report: Report, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (report.full) break;
    report.path.push(key);
    const problem = isRefusedKey(key) ? "is not allowed as a key" : checkText(key);
    if (problem === undefined) copy[key] = readNested(item, report, depth + 1);
    else report.add(problem);
    report.path.pop();
  }
  return copy;
}
