import type { ReactNode } from "react";

import { useShownColumns } from "./column-choice.ts";
import { ExportButtons } from "./export-buttons.tsx";
import { selectRows, type RowSelection } from "./table-rows.ts";

interface ListExportProps<Item> extends RowSelection<Item> {
  /** Of the file, without its ending. */
  readonly name: string;
  /** What the columns are those of: only those are saved that are shown. */
  readonly kind: string;
  readonly items: ReadonlyMap<string, Item>;
}

/** The rows of a table that its filter leaves, in their order, as a file. */
export function ListExport<Item>({
  name,
  kind,
  items,
  columns: all,
  filter,
  sort,
}: ListExportProps<Item>): ReactNode {
  const columns = useShownColumns(kind, all);
  const selection = { columns, filter, sort };
  const shown = (): Item[] => selectRows(items, selection).flatMap((key) => items.get(key) ?? []);
  const rows = (): string[][] => [
    columns.map(({ header }) => header),
    ...shown().map((item) => columns.map((column) => column.text(item, Date.now()))),
  ];
  return <ExportButtons name={name} rows={rows} items={shown} />;
}
