import { Cluster, WorkloadInstance } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ListExport } from "../../ui/list-export.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { FilterField } from "../../ui/text-field.tsx";
import { matrixClusters, matrixRow } from "./matrix.ts";
import { NewWorkload } from "./new-workload.tsx";

/** Every instance, with a mark for each cluster it is in. */
export function Workloads(): ReactNode {
  const { q = "", sort = "HEALTH", desc, new: isNew = false } = useSearch({ from: "/_in/workloads" });
  const navigate = useNavigate();
  const list = useObjects(WorkloadInstance);
  const clusters = useObjects(Cluster);
  const order = useMemo(() => ({ header: sort, descending: desc === true }), [sort, desc]);
  const { items, phase } = list;
  const names = useMemo(
    () =>
      matrixClusters(
        list.items.values(),
        [...clusters.items.values()].map(({ metadata }) => metadata.name),
      ),
    [list, clusters],
  );
  // As text, so that a change of a workload does not make all columns anew.
  const columnKey = names.join(" ");
  const columns = useMemo(() => matrixColumns(columnKey === "" ? [] : columnKey.split(" ")), [columnKey]);
  const set = (search: { q?: string; sort?: string; desc?: boolean; new?: boolean }): void =>
    void navigate({ to: "/workloads", search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <>
      <PageHead title="Workloads">
        <FilterField value={q} onChange={(value) => set({ q: value })} count={`${items.size}`} />
        <Button look="main" onClick={() => set({ new: true })}>
          Deploy manifests
        </Button>
        <span className="ml-auto">
          <ListExport
            name="workloads"
            kind="workloadinstances"
            items={items}
            columns={columns}
            filter={q}
            sort={order}
          />
        </span>
      </PageHead>
      <ListState list={list} what="the workloads" />
      {phase === "live" && items.size === 0 && (
        <Empty>
          No workload yet. Deploy manifests here, or with <code>bowline deploy FILE --cluster NAME</code>.
        </Empty>
      )}
      {items.size > 0 && (
        <LiveTable
          label="Workloads by cluster"
          kind="workloadinstances"
          list={list}
          columns={columns}
          filter={q}
          onFilter={(value) => set({ q: value })}
          sort={order}
          onSort={({ header, descending }) => set({ sort: header, desc: descending })}
          onOpen={({ metadata }) =>
            void navigate({ to: "/workloads/$name", params: { name: metadata.name } })
          }
        />
      )}
      {isNew && <NewWorkload onClose={() => set({ new: false })} />}
    </>
  );
}

function matrixColumns(clusters: readonly string[]): TableColumn<WorkloadInstance>[] {
  return [
    { header: "NAME", text: ({ metadata }) => metadata.name, width: "minmax(8rem, 1.5fr)" },
    {
      header: "HEALTH",
      text: (instance) => {
        const { health, reason } = matrixRow(instance).overall;
        return health === "Healthy" ? health : `${health} ${reason}`;
      },
      sortKey: (instance) => `${healthRank[matrixRow(instance).overall.health]} ${instance.metadata.name}`,
      cell: (instance) => <OverallCell instance={instance} />,
      width: "minmax(10rem, 1.5fr)",
    },
    {
      header: "CLUSTERS",
      text: ({ status }) => `${status.readyCount}/${status.clusterCount}`,
      sortKey: ({ status }) => status.clusterCount,
      isNumber: true,
      width: "6rem",
    },
    ...clusters.map((cluster): TableColumn<WorkloadInstance> => ({
      header: cluster,
      text: (instance) => matrixRow(instance).cells.get(cluster)?.health ?? "",
      sortKey: (instance) => {
        const state = matrixRow(instance).cells.get(cluster);
        const rank = state === undefined ? notPlacedRank : healthRank[state.health];
        return `${rank} ${instance.metadata.name}`;
      },
      cell: (instance) => <ClusterCell instance={instance} cluster={cluster} />,
      width: "minmax(5.5rem, 1fr)",
      isFixed: true,
    })),
  ];
}

/** After everything that is there. */
const notPlacedRank = 99;

function OverallCell({ instance }: { instance: WorkloadInstance }): ReactNode {
  const { health, reason, message } = matrixRow(instance).overall;
  return (
    <span title={cleanText(message, 500)}>
      <HealthMark health={health} />
      {health !== "Healthy" && <span className="ml-2 text-muted">{cleanText(reason, 60)}</span>}
    </span>
  );
}

function ClusterCell({ instance, cluster }: { instance: WorkloadInstance; cluster: string }): ReactNode {
  const state = matrixRow(instance).cells.get(cluster);
  if (state === undefined) return <span className="sr-only">not placed here</span>;
  const { health, reason, message } = state;
  return (
    <span title={cleanText(message === "" ? health : `${health}: ${reason}. ${message}`, 500)}>
      <HealthMark health={health} word={false} />
    </span>
  );
}
