import { columnsOf, rowOf, type ApiObject, type Column, type Kind } from "@bowline/api";

import { resourceName } from "../resources/resource.ts";
import type { Paint } from "../terminal/paint.ts";
import { printableLine } from "./printable.ts";
import { TableWriter } from "./table-writer.ts";

export interface ObjectTableOptions {
  readonly wide: boolean;
  readonly noHeaders: boolean;
  readonly showLabels: boolean;
  /** Put the kind before the name, where objects of several kinds are printed. */
  readonly withKind: boolean;
  /** Begin with a column that says what happened. */
  readonly withEvent: boolean;
  readonly paint: Paint;
}

export interface TableRow {
  readonly object: ApiObject;
  /** What happened, for the column that says so. */
  readonly type?: string;
}

/** The table of one kind, to which rows can be added. */
export class ObjectTable {
  readonly #kind: Kind;
  readonly #options: ObjectTableOptions;
  readonly #table: TableWriter;

  constructor(kind: Kind, options: ObjectTableOptions) {
    this.#kind = kind;
    this.#options = options;
    const columns = columnsOf(kind, options);
    const before = options.withEvent ? ["EVENT"] : [];
    const after = options.showLabels ? ["LABELS"] : [];
    this.#table = new TableWriter([...before, ...columns.map(({ header }) => header), ...after], {
      noHeaders: options.noHeaders,
      style: (cell, index) => paintCell(options.paint, columns[index - before.length], cell),
    });
  }

  rows(items: readonly TableRow[], nowMs: number): string {
    return this.#table.rows(items.map((item) => this.#row(item, nowMs)));
  }

  #row({ object, type = "" }: TableRow, nowMs: number): string[] {
    const { withEvent, withKind, showLabels, wide } = this.#options;
    const [name = "", ...cells] = rowOf(this.#kind, object, { wide, nowMs });
    return [
      ...(withEvent ? [type] : []),
      withKind ? resourceName({ kind: this.#kind, name }) : name,
      ...cells,
      ...(showLabels ? [formatLabels(object.metadata.labels)] : []),
    ].map(printableLine);
  }
}

/** `a=b,c=d`, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, string>>, separator = ","): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(separator);
}

/** Draws the eye to what somebody may have to look at; everything that is well stays plain. */
function paintCell(paint: Paint, column: Column | undefined, cell: string): string {
  if (column?.format === "until" && cell === "expired") return paint("red", cell);
  return column !== undefined && /^status\.conditions\.[A-Za-z]+$/u.test(column.path)
    ? paintStatus(paint, cell)
    : cell;
}

/** The status of a condition in its colour. */
export function paintStatus(paint: Paint, status: string): string {
  if (status === "False") return paint("red", status);
  return status === "Unknown" || status === "<unknown>" ? paint("yellow", status) : status;
}
