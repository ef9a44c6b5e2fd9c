import { Cluster } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListExport } from "../../ui/list-export.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import { FilterField } from "../../ui/text-field.tsx";
import { clusterColumns } from "./cluster-columns.tsx";
import { clusterHealth } from "./cluster-health.ts";
import { useAgentSessions, useClusterViews } from "./cluster-queries.ts";

function clusterMark(cluster: Cluster): ReactNode {
  return <HealthMark health={clusterHealth(cluster).health} word={false} />;
}

/** All clusters, and how their tunnels do. */
export function Clusters(): ReactNode {
  const { q = "", sort, desc } = useSearch({ from: "/_in/clusters" });
  const navigate = useNavigate();
  const list = useObjects(Cluster);
  const views = useClusterViews();
  const { data: sessions } = useAgentSessions();
  const columns = useMemo(
    () => clusterColumns({ views: views.items, sessions: sessions?.items ?? [] }),
    // The map of a watch is always the same; what tells that something has changed is what holds it.
    [views, sessions],
  );
  const { items, phase } = list;
  const order = sort === undefined ? undefined : { header: sort, descending: desc === true };
  const set = (search: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/clusters", search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <>
      <PageHead title="Clusters">
        <FilterField value={q} onChange={(value) => set({ q: value })} count={`${items.size}`} />
        <span className="ml-auto flex items-center gap-4">
          <ListExport
            name="clusters"
            kind="clusters"
            items={items}
            columns={columns}
            filter={q}
            sort={order}
          />
          <JoinLink />
        </span>
      </PageHead>
      <ListState list={list} what="the clusters" />
      {phase === "live" && items.size === 0 && (
        <Empty>
          <p className="mb-3">
            No cluster yet. An agent in a cluster calls this server; nothing has to be opened there.
          </p>
          <JoinLink />
        </Empty>
      )}
      {items.size > 0 && (
        <LiveTable
          label="Clusters"
          kind="clusters"
          list={list}
          columns={columns}
          filter={q}
          onFilter={(value) => set({ q: value })}
          sort={order}
          onSort={({ header, descending }) => set({ sort: header, desc: descending })}
          onOpen={({ metadata }) => void navigate({ to: "/c/$cluster", params: { cluster: metadata.name } })}
          mark={clusterMark}
        />
      )}
    </>
  );
}

function JoinLink(): ReactNode {
  return (
    <Link
      to="/clusters/add"
      className="rounded-sm bg-accent px-3 py-1 font-semibold text-on-accent no-underline"
    >
      Join a cluster
    </Link>
  );
}
