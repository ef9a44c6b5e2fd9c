import { Cluster, WorkloadInstance } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { matrixClusters, matrixRow } from "./matrix.ts";
import { NewWorkload } from "./new-workload.tsx";

/** Those in trouble first, unless somebody chooses another order. */
const troubleFirst = { header: "HEALTH", descending: false };

/** Every instance, with a mark for each cluster it is in. */
export function Workloads(): ReactNode {
  const search = useSearch({ from: "/_in/workloads" });
  const navigate = useNavigate();
  const list = useObjects(WorkloadInstance);
  const clusters = useObjects(Cluster);
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
  const set = (change: { q?: string; sort?: string; desc?: boolean; new?: boolean }): void =>
    void navigate({ to: "/workloads", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <ObjectList
        title="Workloads"
        label="Workloads by cluster"
        kind="workloadinstances"
        exportName="workloads"
        what="the workloads"
        empty={
          <>
            No workload yet. Deploy manifests here, or with <code>bowline deploy FILE --cluster NAME</code>.
          </>
        }
        list={list}
        columns={columns}
        search={search}
        onSearch={set}
        firstOrder={troubleFirst}
        onOpen={({ metadata }) => void navigate({ to: "/workloads/$name", params: { name: metadata.name } })}
        beside={
          <Button look="main" onClick={() => set({ new: true })}>
            Deploy manifests
          </Button>
        }
      />
      {search.new === true && <NewWorkload onClose={() => set({ new: false })} />}
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
