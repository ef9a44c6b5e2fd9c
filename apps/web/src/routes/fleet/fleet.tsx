import { Cluster, WorkloadInstance } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark, healthNames, type HealthName } from "../../ui/health-mark.tsx";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Section } from "../../ui/section.tsx";
import { Empty } from "../../ui/states.tsx";
import { clusterHealth } from "../clusters/cluster-health.ts";
import { EventLines } from "../events/event-lines.tsx";
import { clustersInTrouble, inTrouble, matrixRow, type MatrixRow } from "../workloads/matrix.ts";
import { byTrouble } from "../workloads/workload-health.ts";
import { RecentChanges } from "./recent-changes-list.tsx";

const shownWarnings = 20;
const shownWorkloads = 20;
const shownHealthy = 20;

/** What needs somebody, first. */
export function Fleet(): ReactNode {
  const list = useObjects(Cluster);
  const { phase } = list;
  const clusters = useMemo(
    () =>
      [...list.items.values()]
        .map((cluster) => ({ cluster, ...clusterHealth(cluster) }))
        .toSorted((a, b) => byTrouble(a, b) || (a.cluster.metadata.name < b.cluster.metadata.name ? -1 : 1)),
    [list],
  );
  const isEmpty = phase === "live" && clusters.length === 0;
  return (
    <>
      <PageHead title="Fleet">
        <Counts label="Clusters by health" of={clusters.map(({ health }) => health)} />
      </PageHead>
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <ListState list={list} what="the clusters" />
        {isEmpty ? (
          <NoCluster />
        ) : (
          <div className="grid gap-6 xl:grid-cols-2">
            <Section title="Clusters" aside={<Link to="/clusters">All clusters</Link>}>
              <ClusterLines clusters={clusters} />
            </Section>
            <Section title="Workloads" aside={<Link to="/workloads">All workloads</Link>}>
              <WorkloadLines />
            </Section>
            <Section
              title="Warnings"
              aside={
                <Link to="/events" search={{ type: "Warning" }}>
                  All warnings
                </Link>
              }
            >
              <EventLines filters={warnings} limit={shownWarnings} empty="No warning of late." />
            </Section>
            <Section title="Changed in the last hour" aside={<Link to="/events">All events</Link>}>
              <RecentChanges />
            </Section>
          </div>
        )}
      </div>
    </>
  );
}

const warnings = { type: "Warning" } as const;

function NoCluster(): ReactNode {
  return (
    <Empty>
      <p>No cluster yet.</p>
      <p className="mt-3">
        <Link
          to="/clusters/add"
          className="inline-block rounded-sm bg-accent px-4 py-1.5 font-semibold text-on-accent no-underline"
        >
          Join a cluster
        </Link>
      </p>
      <p className="mt-3">
        or by hand: <code>bowline cluster add NAME | kubectl apply -f -</code>
      </p>
    </Empty>
  );
}

interface ClusterLine {
  readonly cluster: Cluster;
  readonly health: HealthName;
  readonly reason: string;
}

function ClusterLines({ clusters }: { clusters: readonly ClusterLine[] }): ReactNode {
  const troubled = clusters.filter(({ health }) => health !== "Healthy").length;
  const shown = clusters.slice(0, troubled + shownHealthy);
  return (
    <>
      <ul aria-label="Clusters" className="divide-y divide-border">
        {shown.map(({ cluster, health, reason }) => (
          <li key={cluster.metadata.id} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <span className="w-28 shrink-0">
              <HealthMark health={health} />
            </span>
            <Link to="/c/$cluster" params={{ cluster: cluster.metadata.name }} className="font-semibold">
              {cleanText(cluster.metadata.name)}
            </Link>
            <span className="min-w-0 text-muted wrap-anywhere">
              {cleanText(reason === "" ? (cluster.status.kubernetesVersion ?? "") : reason, 200)}
            </span>
          </li>
        ))}
      </ul>
      {clusters.length > shown.length && (
        <p className="py-1 text-muted">and {clusters.length - shown.length} more that are healthy</p>
      )}
    </>
  );
}

function WorkloadLines(): ReactNode {
  const list = useObjects(WorkloadInstance);
  const { items } = list;
  const rows = useMemo(() => inTrouble(list.items.values()), [list]);
  const healths = useMemo(() => [...list.items.values()].map((one) => matrixRow(one).overall.health), [list]);
  if (isInTheWay(list)) return <ListState list={list} what="the workloads" isPart />;
  if (items.size === 0) {
    return (
      <Empty>
        No workload yet.{" "}
        <Link to="/workloads" search={{ new: true }}>
          Deploy manifests
        </Link>
      </Empty>
    );
  }
  return (
    <>
      <Counts label="Workloads by health" of={healths} />
      {rows.length === 0 && <p className="py-2 text-muted">All of them are ready.</p>}
      <ul aria-label="Workloads that are not ready" className="divide-y divide-border">
        {rows.slice(0, shownWorkloads).map((row) => (
          <WorkloadLine key={row.instance.metadata.id} row={row} />
        ))}
      </ul>
      {rows.length > shownWorkloads && <p className="text-muted">and {rows.length - shownWorkloads} more</p>}
    </>
  );
}

function WorkloadLine({ row }: { row: MatrixRow }): ReactNode {
  const { name } = row.instance.metadata;
  const { health, reason, message } = row.overall;
  const places = clustersInTrouble(row).map(({ cluster }) => cluster);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 py-1.5">
      <span className="w-28 shrink-0">
        <HealthMark health={health} />
      </span>
      <Link to="/workloads/$name" params={{ name }} className="font-semibold">
        {cleanText(name)}
      </Link>
      {places.length > 0 && (
        <span className="text-muted">
          in {cleanText(places.slice(0, 3).join(", "))}
          {places.length > 3 ? ` and ${places.length - 3} more` : ""}
        </span>
      )}
      <span className="basis-full pl-31 wrap-anywhere max-sm:pl-0">
        <span className="font-semibold">{cleanText(reason, 80)}</span>{" "}
        <span className="text-muted">{cleanText(message, 300)}</span>
      </span>
    </li>
  );
}

function Counts({ label, of }: { label: string; of: readonly HealthName[] }): ReactNode {
  const counted = healthNames
    .map((health) => ({ health, count: of.filter((one) => one === health).length }))
    .filter(({ count }) => count > 0);
  if (counted.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-x-4" aria-label={label}>
      {counted.map(({ health, count }) => (
        <li key={health} className="flex gap-1">
          <span className="font-semibold">{count}</span> <HealthMark health={health} />
        </li>
      ))}
    </ul>
  );
}
