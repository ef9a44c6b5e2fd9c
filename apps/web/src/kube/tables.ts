import { isRecord } from "@bowline/core";
import { arrayOf, numberOf, recordOf, textOf } from "@bowline/kube/shapes";

import type { ListOptions } from "../live/live-context.tsx";
import { KubeFeed } from "./kube-feed.ts";

/** Tables where the server makes them, and whole objects where it does not. */
export const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/** A column as the server describes it. */
export interface ServerColumn {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string;
  readonly description: string;
  /** 0 is shown always, anything greater only in a wide table. */
  readonly priority: number;
}

/** As much of an object's metadata as a row needs. */
interface RowMetadata {
  readonly uid: string;
  readonly name: string;
  /** Missing for what is in none. */
  readonly namespace?: string;
  readonly createdAt?: string;
  readonly isDeleting: boolean;
}

/** A row of a Table: its cells, and which object it is. */
export interface TableRow {
  /** All rows of one answer share them. */
  readonly columns: readonly ServerColumn[];
  readonly cells: readonly unknown[];
  readonly metadata: RowMetadata;
}

/** Lists of a cluster as Tables, for `useLive`. */
export const tableLists: ListOptions<TableRow> = {
  keyOf: ({ metadata }) => metadata.uid,
  feed: (path) => {
    const reader = new TableReader();
    return new KubeFeed({ path, accept: tableAccept, itemsOf: (answer) => reader.rowsOf(answer) });
  },
};

/** Columns of what no server has made a Table of. */
const plainColumns: readonly ServerColumn[] = [
  { name: "Name", type: "string", description: "Name of the object.", priority: 0 },
  { name: "Age", type: "date", description: "When it was made.", priority: 0 },
];

/** Reads Tables one after the other: in a watch, the first alone says what the columns are. */
export class TableReader {
  #columns: readonly ServerColumn[] = [];

  *rowsOf(answer: Readonly<Record<string, unknown>>): Generator<readonly [string, TableRow]> {
    if (answer["kind"] !== "Table") {
      const objects = Array.isArray(answer["items"]) ? answer["items"] : [answer];
      for (const object of objects) yield* rowOf(plainColumns, undefined, object);
      return;
    }
    const columns = columnsOf(arrayOf(answer["columnDefinitions"]));
    if (columns.length > 0) this.#columns = columns;
    for (const row of arrayOf(answer["rows"])) {
      if (isRecord(row)) yield* rowOf(this.#columns, arrayOf(row["cells"]), row["object"]);
    }
  }
}

/** More than any kind has, and as many as a page can draw. */
const maxColumns = 100;

/** Cells are found by the place of their column, and columns by their names: each has a place, and a name of its own. */
function columnsOf(values: readonly unknown[]): ServerColumn[] {
  const taken = new Set<string>();
  return values.slice(0, maxColumns).map((value, index) => {
    const column = recordOf(value) ?? {};
    let name = textOf(column["name"]) ?? "";
    while (name === "" || taken.has(name)) name = `${name} (${index + 1})`.trimStart();
    taken.add(name);
    return {
      name,
      type: textOf(column["type"]) ?? "string",
      description: textOf(column["description"]) ?? "",
      priority: numberOf(column["priority"]) ?? 0,
    };
  });
}

function rowOf(
  columns: readonly ServerColumn[],
  cells: readonly unknown[] | undefined,
  object: unknown,
): (readonly [string, TableRow])[] {
  const metadata = rowMetadata(recordOf(recordOf(object)?.["metadata"]) ?? {});
  if (metadata === undefined) return [];
  return [[metadata.uid, { columns, cells: cells ?? [metadata.name, metadata.createdAt], metadata }]];
}

function rowMetadata(metadata: Readonly<Record<string, unknown>>): RowMetadata | undefined {
  const name = textOf(metadata["name"]);
  if (name === undefined) return undefined;
  const namespace = textOf(metadata["namespace"]);
  const createdAt = textOf(metadata["creationTimestamp"]);
  return {
    // What is worked out and not stored, such as metrics, has none.
    uid: textOf(metadata["uid"]) ?? `${namespace ?? ""}/${name}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(createdAt === undefined ? {} : { createdAt }),
    isDeleting: textOf(metadata["deletionTimestamp"]) !== undefined,
  };
}
