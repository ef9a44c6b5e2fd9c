import type { Column } from "../kind/column.ts";
import type { ApiObject, Kind } from "../kind/kind.ts";
import { parseFieldPath, valuesAt, type FieldPath } from "../path/field-path.ts";
import { formatAge } from "./format-age.ts";

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

function cellOf(column: Column, item: ApiObject, nowMs: number): string {
  const path = parseFieldPath(column.path);
  const values = valuesAt(path, item);
  if (column.format === "count") return String(values.length);
  const [first] = values;
  if (first === undefined || first === "") return absentCell(path);
  if (column.format === "age") return formatAge(nowMs - Date.parse(asText(first)));
  if (column.format === "until") return formatUntil(Date.parse(asText(first)) - nowMs);
  return printable(values.map(asText).join(","));
}

/** What is always there and is missing, or what nobody has found out yet, is unknown; everything else is just not set. */
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
