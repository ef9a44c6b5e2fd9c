import type { ReactNode } from "react";

import { ExportButtons } from "./export-buttons.tsx";
import { selectRows, type RowSelection } from "./table-rows.ts";

interface ListExportProps<Item> extends RowSelection<Item> {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly items: ReadonlyMap<string, Item>;
}

/** The rows of a table that its filter leaves, in their order, as a file. */
export function ListExport<Item>({ name, items, ...selection }: ListExportProps<Item>): ReactNode {
  const { columns } = selection;
  const shown = (): Item[] => selectRows(items, selection).flatMap((key) => items.get(key) ?? []);
  const rows = (): string[][] => [
    columns.map(({ header }) => header),
    ...shown().map((item) => columns.map((column) => column.text(item, Date.now()))),
  ];
  return <ExportButtons name={name} rows={rows} items={shown} />;
}
