import { ConfigSource } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ListExport } from "../../ui/list-export.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { FilterField } from "../../ui/text-field.tsx";
import { kindColumns } from "../kind-columns.ts";
import { configHealth } from "./config-health.ts";

const emptyCells = new Set(["<none>", "<unknown>"]);

/** The columns of the API; conditions are told by one health, as everywhere. */
const columns: readonly TableColumn<ConfigSource>[] = [
  ...kindColumns(ConfigSource, ["READY", "CURRENT"]).map((column) => ({
    ...column,
    text: (source: ConfigSource, nowMs: number) => {
      const cell = column.text(source, nowMs);
      return emptyCells.has(cell) ? "–" : cell;
    },
  })),
  {
    header: "HEALTH",
    text: (source) => configHealth(source),
    sortKey: (source) => healthRank[configHealth(source)],
  },
];

/** Where objects of Bowline come from: clusters, grants and workloads from git. */
export function ConfigSources({ tabs }: { tabs: ReactNode }): ReactNode {
  const { q = "", sort, desc } = useSearch({ from: "/_in/sources" });
  const navigate = useNavigate();
  const list = useObjects(ConfigSource);
  const { items, phase } = list;
  const order = useMemo(
    () => (sort === undefined ? undefined : { header: sort, descending: desc === true }),
    [sort, desc],
  );
  const set = (search: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/sources", search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <>
      <PageHead title="Sources">
        <FilterField value={q} onChange={(value) => set({ q: value })} count={`${items.size}`} />
        <span className="ml-auto">
          <ListExport
            name="config-sources"
            kind="configsources"
            items={items}
            columns={columns}
            filter={q}
            sort={order}
          />
        </span>
      </PageHead>
      {tabs}
      <ListState list={list} what="the sources of configuration" />
      {phase === "live" && items.size === 0 && (
        <Empty>
          No configuration comes from git yet: clusters, grants and workloads are written by hand. A
          ConfigSource names the repository to take them from: <code>bowline apply -f FILE</code>.
        </Empty>
      )}
      {items.size > 0 && (
        <LiveTable
          label="Sources of configuration"
          kind="configsources"
          list={list}
          columns={columns}
          filter={q}
          onFilter={(value) => set({ q: value })}
          sort={order}
          onSort={({ header, descending }) => set({ sort: header, desc: descending })}
          onOpen={({ metadata: { name } }) =>
            void navigate({ to: "/sources/config/$name", params: { name } })
          }
          mark={sourceMark}
        />
      )}
    </>
  );
}

function sourceMark(source: ConfigSource): ReactNode {
  return <HealthMark health={configHealth(source)} word={false} />;
}
