import type { ApiObject, Column, Kind } from "./kind/kind.ts";
import { parseFieldPath, valuesAt, type FieldPath } from "./schema/field-path.ts";

export interface TableOptions {
  readonly wide?: boolean;
}

const nameColumn: Column = { header: "NAME", path: "metadata.name" };
const ageColumn: Column = { header: "AGE", path: "metadata.createdAt", format: "age" };

/** The columns of a kind, NAME first and AGE last. */
export function columnsOf(kind: Kind, options: TableOptions = {}): Column[] {
  const { wide = false } = options;
  return [nameColumn, ...kind.columns.filter((column) => wide || column.wide !== true), ageColumn];
}

/** The cells of an object, one for each of `columnsOf`, as kubectl would print them. */
export function rowOf(
  kind: Kind,
  item: ApiObject,
  options: TableOptions & { readonly nowMs: number },
): string[] {
  return columnsOf(kind, options).map((column) => cellOf(column, item, options.nowMs));
}

/** Paths of columns, each read once: a table of ten thousand rows asks for each of them as often. */
const paths = new Map<string, FieldPath>();

function pathOf(text: string): FieldPath {
  const known = paths.get(text);
  if (known !== undefined) return known;
  const path = parseFieldPath(text);
  paths.set(text, path);
  return path;
}

function cellOf(column: Column, item: ApiObject, nowMs: number): string {
  const path = pathOf(column.path);
  const values = valuesAt(path, item);
  if (column.format === "count") return String(values.length);
  if (column.of !== undefined) return `${numberAt(values)}/${numberAt(valuesAt(pathOf(column.of), item))}`;
  const [first] = values;
  if (first === undefined || first === "") return absentCell(path);
  if (column.format === "age") return formatAge(nowMs - Date.parse(asText(first)));
  if (column.format === "until") return formatUntil(Date.parse(asText(first)) - nowMs);
  return printable(values.map(asText).join(","));
}

/** Counts of an object that nobody has looked at yet are 0. */
function numberAt([value]: readonly unknown[]): number {
  return typeof value === "number" ? value : 0;
}

/** A missing field that is always there, or that nobody has found out yet, is unknown; any other is just not set. */
function absentCell({ steps, text }: FieldPath): string {
  const isCondition = steps.some(({ step }) => step === "where");
  return isCondition || text === ageColumn.path ? "<unknown>" : "<none>";
}

function formatUntil(remainingMs: number): string {
  return remainingMs <= 0 ? "expired" : formatAge(remainingMs);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A message from elsewhere must not move the cursor or break the line of the terminal it is shown in. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** A unit, the next smaller one, and up to where both are shown, and the unit alone. */
const steps = [
  { unitMs: secondMs, letter: "s", bothBelowMs: 0, belowMs: 2 * minuteMs },
  {
    unitMs: minuteMs,
    letter: "m",
    smallerMs: secondMs,
    smaller: "s",
    bothBelowMs: 10 * minuteMs,
    belowMs: 3 * hourMs,
  },
  {
    unitMs: hourMs,
    letter: "h",
    smallerMs: minuteMs,
    smaller: "m",
    bothBelowMs: 8 * hourMs,
    belowMs: 2 * dayMs,
  },
  {
    unitMs: dayMs,
    letter: "d",
    smallerMs: hourMs,
    smaller: "h",
    bothBelowMs: 8 * dayMs,
    belowMs: 2 * yearMs,
  },
  {
    unitMs: yearMs,
    letter: "y",
    smallerMs: dayMs,
    smaller: "d",
    bothBelowMs: 8 * yearMs,
    belowMs: Number.POSITIVE_INFINITY,
  },
] as const;

/** A duration as kubectl writes it: `5s`, `3m2s`, `4h`, `12d`, `2y`; two units while the second one still matters. */
export function formatAge(durationMs: number): string {
  // Clocks differ by a little; a whole second ahead is more than that.
  if (durationMs <= -2 * secondMs || Number.isNaN(durationMs)) return "<invalid>";
  const elapsedMs = Math.max(0, durationMs);
  const step = steps.find(({ belowMs }) => elapsedMs < belowMs) ?? steps[steps.length - 1];
  if (step === undefined) return "<invalid>";
  const whole = `${Math.floor(elapsedMs / step.unitMs)}${step.letter}`;
  if (!("smaller" in step) || elapsedMs >= step.bothBelowMs) return whole;
  const rest = Math.floor((elapsedMs % step.unitMs) / step.smallerMs);
  return rest === 0 ? whole : `${whole}${rest}${step.smaller}`;
}
