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

/** One column: a name (with `*` in front for wide output alone), what it holds, and how to read it. */
export type ColumnSpec = readonly [name: string, type: "string" | "integer", read: CellReader];

export const nameColumn: ColumnSpec = ["Name", "string", (object) => object.metadata.name];
export const ageColumn: ColumnSpec = [
  "Age",
  "string",
  (object, nowMs) => age(object.metadata.creationTimestamp, nowMs),
];

export function layoutOf(specs: readonly ColumnSpec[]): TableLayout {
  return {
    columns: specs.map(([name, type]) => ({
      name: name.replace("*", ""),
      type,
      format: name === "Name" ? "name" : "",
      description: "",
      priority: name.startsWith("*") ? 1 : 0,
    })),
    cells: (object, nowMs) => specs.map(([, , read]) => read(object, nowMs)),
  };
}
