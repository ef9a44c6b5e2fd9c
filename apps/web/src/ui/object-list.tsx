import { useMemo, type ReactNode } from "react";

import type { LiveSnapshot } from "../live/watched-objects.ts";
import { ListExport } from "./list-export.tsx";
import { ListState } from "./list-state.tsx";
import { LiveTable } from "./live-table.tsx";
import { PageHead } from "./page-head.tsx";
import { Empty } from "./states.tsx";
import type { TableColumn, TableSort } from "./table-rows.ts";
import { FilterField } from "./text-field.tsx";

/** What of the list the address says. */
interface ListSearch {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly desc?: boolean | undefined;
}

interface ListChange {
  q?: string;
  sort?: string;
  desc?: boolean;
}

interface ObjectListProps<Item> {
  readonly title: string;
  /** Names the table for those who cannot see it; the title if missing. */
  readonly label?: string;
  /** What its columns are those of: a choice of columns is kept under this name. */
  readonly kind: string;
  /** The name of the file that rows are saved as; the kind if missing. */
  readonly exportName?: string;
  /** Completes "Waiting for …" while nothing has come. */
  readonly what: string;
  /** Shown when there are no objects. */
  readonly empty: ReactNode;
  readonly list: LiveSnapshot<Item>;
  readonly columns: readonly TableColumn<Item>[];
  readonly search: ListSearch;
  readonly onSearch: (change: ListChange) => void;
  /** The order until somebody chooses another one. */
  readonly firstOrder?: TableSort;
  readonly onOpen: (item: Item) => void;
  /** Before the first cell of a row. */
  readonly mark?: (item: Item) => ReactNode;
  /** Beside the filter. */
  readonly beside?: ReactNode;
  /** At the end of the head. */
  readonly actions?: ReactNode;
  /** Below the head. */
  readonly tabs?: ReactNode;
}

/** A page with all objects of a kind: filter, order and export, or why there are none. */
export function ObjectList<Item>(props: ObjectListProps<Item>): ReactNode {
  const { title, label = title, kind, exportName = kind, list, columns, onSearch } = props;
  const { q = "", sort, desc = false } = props.search;
  const { firstOrder } = props;
  const order = useMemo(
    () => (sort === undefined ? firstOrder : { header: sort, descending: desc }),
    [sort, desc, firstOrder],
  );
  const { items, phase } = list;
  return (
    <>
      <PageHead title={title}>
        <FilterField value={q} onChange={(value) => onSearch({ q: value })} count={`${items.size}`} />
        {props.beside}
        <span className="ml-auto flex flex-wrap items-center gap-4">
          <ListExport name={exportName} kind={kind} items={items} columns={columns} filter={q} sort={order} />
          {props.actions}
        </span>
      </PageHead>
      {props.tabs}
      <ListState list={list} what={props.what} />
      {phase === "live" && items.size === 0 && <Empty>{props.empty}</Empty>}
      {items.size > 0 && (
        <LiveTable
          label={label}
          kind={kind}
          list={list}
          columns={columns}
          filter={q}
          onFilter={(value) => onSearch({ q: value })}
          sort={order}
          onSort={({ header, descending }) => onSearch({ sort: header, desc: descending })}
          onOpen={props.onOpen}
          {...(props.mark === undefined ? {} : { mark: props.mark })}
        />
      )}
    </>
  );
}
