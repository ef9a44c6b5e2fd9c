import type { SimObject } from "../../store/sim-api.ts";
import { age } from "./human-duration.ts";

interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0 only wide output shows the column. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** The columns of a kind and how an object fills them. */
export interface TableLayout {
  readonly columns: readonly TableColumn[];
  readonly cells: (object: SimObject, nowMs: number) => Cell[];
}

type CellReader = (object: SimObject, nowMs: number) => Cell;

/** One column: a name (with `*` in front for wide output alone), what it holds, how to read it, and who has it. */
export type ColumnSpec = readonly [
  name: string,
  type: "string" | "integer" | "boolean" | "date",
  read: CellReader,
  versions?: MinorVersions,
];

/** The versions of Kubernetes that have a column; all, where nothing is said. */
interface MinorVersions {
  readonly from?: number;
  readonly before?: number;
}

export const nameColumn: ColumnSpec = ["Name", "string", (object) => object.metadata.name];
export const ageColumn = [
  "Age",
  "string",
  (object: SimObject, nowMs: number) => age(object.metadata.creationTimestamp, nowMs),
] as const satisfies ColumnSpec;

export const createdAtColumn: ColumnSpec = [
  "Created At",
  "date",
  (object) => object.metadata.creationTimestamp,
];

export function layoutOf(all: readonly ColumnSpec[], minorVersion: number): TableLayout {
  const specs = all.filter(([, , , versions]) => covers(versions ?? {}, minorVersion));
  return {
    columns: specs.map(([name, type]) => ({
      name: name.replace("*", ""),
      type,
      format: name === "Name" || name === "*Name" ? "name" : "",
      description: "",
      priority: name.startsWith("*") ? 1 : 0,
    })),
    cells: (object, nowMs) => specs.map(([, , read]) => read(object, nowMs)),
  };
}

function covers(
  { from = 0, before = Number.POSITIVE_INFINITY }: MinorVersions,
  minorVersion: number,
): boolean {
  return minorVersion >= from && minorVersion < before;
}
