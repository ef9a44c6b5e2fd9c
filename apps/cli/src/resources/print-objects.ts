import { apiVersion, columnsOf, rowOf, type ApiObject, type Column, type Kind } from "@bowline/api";

import type { OutputOptions } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import type { Paint } from "../command/terminal.ts";
import { resourceName, type FoundObject } from "./resource.ts";

interface PrintOptions extends OutputOptions {
  readonly nowMs: number;
  readonly paint: Paint;
  /** One object was asked for by name: it is printed as it is, and not as a list of one. */
  readonly single: boolean;
  /** Several kinds were asked for, even if objects of one only were found. */
  readonly withKind: boolean;
}

/** Objects as text, in the format that was asked for. */
export async function printObjects(found: readonly FoundObject[], options: PrintOptions): Promise<string> {
  const { output } = options;
  if (output === "table" || output === "wide") return printTables(found, options);
  if (output === "name") {
    return found
      .map(({ kind, object }) => `${resourceName({ kind, name: object.metadata.name })}\n`)
      .join("");
  }
  const [first] = found;
  if (options.single && first !== undefined) return toDocument(first.object, output);
  return toDocument({ apiVersion, kind: "List", items: found.map(({ object }) => object) }, output);
}

/** A table for each kind, since they have different columns. */
function printTables(found: readonly FoundObject[], options: PrintOptions): string {
  const byKind = Map.groupBy(found, ({ kind }): Kind => kind);
  const tables = [...byKind].map(([kind, objects]) => {
    const table = new ObjectTable(kind, {
      wide: options.output === "wide",
      noHeaders: !options.headers,
      showLabels: options.showLabels,
      withKind: options.withKind,
      withEvent: false,
      paint: options.paint,
    });
    return table.rows(objects, options.nowMs);
  });
  return tables.join("\n");
}

interface ObjectTableOptions {
  readonly wide: boolean;
  readonly noHeaders: boolean;
  readonly showLabels: boolean;
  /** Put the kind before the name, where objects of several kinds are printed. */
  readonly withKind: boolean;
  /** Begin with a column that says what happened. */
  readonly withEvent: boolean;
  readonly paint: Paint;
}

interface TableRow {
  readonly object: ApiObject;
  /** The change, for the column that says so. */
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
