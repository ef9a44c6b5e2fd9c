import { columnsOf, rowOf, type Kind, type ObjectOf } from "@bowline/api";

import type { TableColumn } from "../ui/table-rows.ts";

/** The columns that the API has for a kind, which the command line prints too; some of them may be left out. */
export function kindColumns<K extends Kind>(
  kind: K,
  leftOut: readonly string[] = [],
): TableColumn<ObjectOf<K>>[] {
  const columns = columnsOf(kind, { wide: true });
  return columns
    .map(({ header }, index) => ({
      header,
      text: (item: ObjectOf<K>, nowMs: number) => rowOf(kind, item, { wide: true, nowMs })[index] ?? "",
    }))
    .filter(({ header }) => !leftOut.includes(header));
}
