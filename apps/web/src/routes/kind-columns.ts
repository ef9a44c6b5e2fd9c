import { columnsOf, rowOf, type Kind, type ObjectOf } from "@bowline/api";

import type { TableColumn } from "../ui/table-rows.ts";

/** What the command line prints where there is nothing; here as everywhere on the page. */
const emptyCells: ReadonlySet<string> = new Set(["<none>", "<unknown>"]);

/** The columns that the API has for a kind, which the command line prints too; some of them may be left out. */
export function kindColumns<K extends Kind>(
  kind: K,
  leftOut: readonly string[] = [],
): TableColumn<ObjectOf<K>>[] {
  const columns = columnsOf(kind, { wide: true });
  return columns
    .map(({ header, path }, index) => ({
      header,
      text: (item: ObjectOf<K>, nowMs: number) => {
        const cell = rowOf(kind, item, { wide: true, nowMs })[index] ?? "";
        return emptyCells.has(cell) ? "–" : cell;
      },
      // An age is text that is another one each second.
      ...(path === "metadata.createdAt"
        ? { sortKey: ({ metadata }: ObjectOf<K>) => metadata.createdAt }
        : {}),
    }))
    .filter(({ header }) => !leftOut.includes(header));
}
