import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState, type ReactNode } from "react";

import { listPath, objectParams, type KindPlace } from "../../kube/places.ts";
import type { TableRow } from "../../kube/tables.ts";
import { useLiveLists } from "../../live/live-context.tsx";
import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { useShownColumns } from "../../ui/column-choice.ts";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { useKeys } from "../../ui/keys.ts";
import { LiveTable } from "../../ui/live-table.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { selectRows, type TableColumn } from "../../ui/table-rows.ts";
import { kindRoute, useSetSearch } from "./kind-search.ts";
import { ListState } from "../../ui/list-state.tsx";
import { rowActions } from "./row-actions.ts";
import { rowHealth, tableColumns } from "./table-columns.ts";

export interface KindRowsProps {
  /** Namespaces that one may look into. */
  readonly names: readonly string[];
  readonly place: KindPlace;
  readonly title: string;
  readonly list: LiveSnapshot<TableRow>;
}

/** The rows of a kind, or what is in their way. */
export function KindRows({ place, title, list, names }: KindRowsProps): ReactNode {
  const { ns, l, q = "", sort, desc, wide, trouble: troubleFirst } = useSearch({ from: kindRoute });
  const set = useSetSearch();
  const lists = useLiveLists();
  const [selected, setSelected] = useState<TableRow>();
  const { items, phase, failure, trouble } = list;
  const columnDefinitions = items.values().next().value?.columns;
  const kindName = `${place.group}/${place.resource}`;
  const allColumns = useMemo(
    () =>
      tableColumns(columnDefinitions ?? [], {
        wide: wide === true,
        namespaces: ns === undefined && hasNamespaces(items),
        troubleFirst: troubleFirst === true,
      }),
    // The map is always the same; whether its rows are in namespaces does not change.
    [columnDefinitions, wide, troubleFirst, ns, items],
  );
  const columns = useShownColumns(kindName, allColumns);
  const order = useMemo(
    () => (sort === undefined ? undefined : { header: sort, descending: desc === true }),
    [sort, desc],
  );
  const open = useOpen(place);
  useKeys(useMemo(() => rowActions({ place, selected, open }), [place, selected, open]));
  const shown = (): TableRow[] =>
    selectRows(items, { columns, filter: q, sort: order }).flatMap((key) => items.get(key) ?? []);
  const rows = (): string[][] => [
    columns.map(({ header }) => header),
    ...shown().map((row) => columns.map((column) => column.text(row, Date.now()))),
  ];
  const metadata = (): unknown => shown().map(namedCells);
  const path = listPath(place, { namespace: ns, labelSelector: l });
  if (failure !== undefined) {
    return (
      <>
        <ListState list={list} onRetry={() => lists.find(path)?.retry()} />
        {failure.status === 403 && ns === undefined && (
          <GrantedNamespaces names={names} onChoose={(name) => set({ ns: name })} />
        )}
      </>
    );
  }
  return (
    <>
      <ListState list={list} />
      {phase === "connecting" && trouble === undefined && <Loading what={title} />}
      {phase === "live" && items.size === 0 && (
        <Empty>
          No {title}
          {ns === undefined ? "" : ` in the namespace ${cleanText(ns, 63)}`}
          {l === undefined ? "" : ` with the labels ${cleanText(l, 200)}`}.
        </Empty>
      )}
      {items.size > 0 && (
        <div className={`flex min-h-0 flex-1 flex-col ${trouble === undefined ? "" : "grayscale"}`}>
          <LiveTable
            label={title}
            kind={kindName}
            list={list}
            columns={allColumns}
            filter={q}
            onFilter={(value) => set({ q: value })}
            sort={order}
            onSort={({ header, descending }) => set({ sort: header, desc: descending })}
            onOpen={(row) => open(row)}
            onSelect={setSelected}
            mark={rowMark}
          />
          <footer className="flex flex-wrap items-center gap-4 border-t border-border px-4 py-0.5 text-xs text-muted">
            {q !== "" && <span role="status">{shownText(list, columns, q)}</span>}
            <ExportButtons name={`${place.cluster}-${place.resource}`} rows={rows} items={metadata} />
          </footer>
        </div>
      )}
    </>
  );
}

interface GrantedNamespacesProps {
  readonly names: readonly string[];
  readonly onChoose: (name: string) => void;
}

/** A way on for who may not look into all namespaces at once. */
function GrantedNamespaces({ names, onChoose }: GrantedNamespacesProps): ReactNode {
  if (names.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 px-4">
      Look into one namespace:
      {names.slice(0, 20).map((name) => (
        <Button key={name} onClick={() => onChoose(name)}>
          {cleanText(name, 63)}
        </Button>
      ))}
    </p>
  );
}

function shownText(
  { items }: LiveSnapshot<TableRow>,
  columns: readonly TableColumn<TableRow>[],
  filter: string,
): string {
  const left = selectRows(items, { columns, filter, sort: undefined }).length;
  return `${left.toLocaleString("en")} of ${items.size.toLocaleString("en")} by the filter`;
}

/** Everything that a row has, under the names of the server's columns. */
function namedCells({ columns, cells, metadata }: TableRow): unknown {
  return { ...Object.fromEntries(columns.map(({ name }, index) => [name, cells[index]])), metadata };
}

/** Goes to the page of a row's object. */
function useOpen(place: KindPlace): (row: TableRow, tab?: string) => void {
  const navigate = useNavigate();
  return useCallback(
    ({ metadata }, tab) =>
      void navigate({
        to: "/c/$cluster/o/$group/$version/$resource/$namespace/$name",
        params: objectParams({ ...place, namespace: metadata.namespace, name: metadata.name }),
        search: tab === undefined ? {} : { tab },
      }),
    [navigate, place],
  );
}

function hasNamespaces(items: ReadonlyMap<string, TableRow>): boolean {
  return items.values().next().value?.metadata.namespace !== undefined;
}

function rowMark(row: TableRow): ReactNode {
  const health = rowHealth(row);
  return health === undefined ? undefined : <HealthMark health={health} word={false} />;
}
