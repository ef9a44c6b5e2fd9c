import type { ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";
import { isSettled, type HeldOrder } from "./held-order.ts";
import type { TableColumn, TableSort } from "./table-rows.ts";

/** Tells what has changed while somebody reads, and shows it when asked. */
export function HeldPill({ held, onShow }: { held: HeldOrder; onShow: () => void }): ReactNode {
  if (isSettled(held)) return null;
  const parts = [
    held.come > 0 ? `${held.come} new` : "",
    held.gone > 0 ? `${held.gone} gone` : "",
    held.moved > 0 ? `${held.moved} moved` : "",
  ];
  return (
    <button
      type="button"
      className="absolute top-17 left-1/2 z-10 -translate-x-1/2 rounded-md bg-accent px-3 py-1 text-on-accent shadow"
      onClick={onShow}
    >
      {parts.filter(Boolean).join(", ")} · show (r)
    </button>
  );
}

interface HeadRowProps<Item> {
  readonly columns: readonly TableColumn<Item>[];
  readonly sort: TableSort | undefined;
  readonly onSort: (sort: TableSort) => void;
  readonly style: Readonly<Record<string, string>>;
  readonly minWidth: string;
}

/** The names of the columns, each of which sorts by its column. */
export function HeadRow<Item>({ columns, sort, onSort, style, minWidth }: HeadRowProps<Item>): ReactNode {
  return (
    <div
      role="rowgroup"
      className="sticky top-0 z-[5] border-b border-border bg-surface"
      style={{ minWidth }}
    >
      <div role="row" className="grid" style={style}>
        {columns.map(({ header, isNumber }, at) => {
          const isSorted = sort?.header === header;
          const direction = isSorted && sort.descending ? "descending" : "ascending";
          return (
            <div
              key={header}
              role="columnheader"
              aria-sort={isSorted ? direction : "none"}
              className={`${isNumber === true ? "text-right" : ""} ${at === 0 ? "sticky left-0 bg-surface" : ""}`}
            >
              <button
                type="button"
                className="w-full truncate px-2 py-1.5 text-xs font-semibold text-muted hover:text-text"
                style={{ textAlign: isNumber === true ? "right" : "left" }}
                onClick={() => onSort({ header, descending: isSorted && !sort.descending })}
              >
                {cleanText(header, 100)} {isSorted ? (sort.descending ? "↓" : "↑") : ""}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
