import { Cluster, columnsOf, rowOf, type AgentSession, type ClusterView } from "@bowline/api";
import type { ReactNode } from "react";

import { ageOf } from "../../text/time.ts";
import { healthRank } from "../../ui/health-mark.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { clusterHealth, isConnected } from "./cluster-health.ts";
import { clusterNumbers, roundTripsOf } from "./cluster-numbers.ts";

/** What the health says already, or another column. */
const leftOut: ReadonlySet<string> = new Set(["PROVIDER", "READY", "AGENT", "SINCE", "REASON", "AGE"]);
const widths: Readonly<Record<string, string>> = {
  NAME: "minmax(8rem, 1fr)",
  VERSION: "5.5rem",
  REGION: "7rem",
  "AGENT-VERSION": "8rem",
  MESSAGE: "minmax(6rem, 2fr)",
  LABELS: "minmax(10rem, 1fr)",
};
/** Heartbeats of five minutes. */
const roundTripCapacity = 20;

export interface ClusterFacts {
  readonly views: ReadonlyMap<string, ClusterView>;
  readonly sessions: readonly AgentSession[];
}

/** The columns of the API, which the command line prints too, and those that only a page has, for they move. */
export function clusterColumns({ views, sessions }: ClusterFacts): TableColumn<Cluster>[] {
  const [name, ...others] = apiColumns();
  const live: TableColumn<Cluster>[] = [
    {
      header: "HEALTH",
      text: (cluster) => clusterHealth(cluster).health,
      sortKey: (cluster) => healthRank[clusterHealth(cluster).health],
      width: "6rem",
    },
    {
      header: "RTT",
      text: (cluster) => rttText(roundTripsOf(sessions, cluster.metadata.name).rttMs),
      sortKey: (cluster) => roundTripsOf(sessions, cluster.metadata.name).rttMs ?? -1,
      cell: (cluster) => <Rtt {...roundTripsOf(sessions, cluster.metadata.name)} />,
      width: "9.5rem",
      isNumber: true,
    },
    {
      header: "NODES",
      text: ({ metadata }) => shareText(readyNodes(views, metadata.name)),
      cell: (cluster) => <Told cluster={cluster} share={readyNodes(views, cluster.metadata.name)} />,
      sortKey: ({ metadata }) => clusterNumbers(views, metadata.name).nodes?.count ?? -1,
      width: "4.5rem",
      isNumber: true,
    },
    {
      header: "PODS",
      text: ({ metadata }) => shareText(runningPods(views, metadata.name)),
      cell: (cluster) => <Told cluster={cluster} share={runningPods(views, cluster.metadata.name)} />,
      sortKey: ({ metadata }) => clusterNumbers(views, metadata.name).pods?.wanted ?? -1,
      width: "5rem",
      isNumber: true,
    },
    {
      header: "LAST SEEN",
      text: (cluster, nowMs) => ageOf(lastSeen(cluster, sessions), nowMs),
      sortKey: (cluster) => lastSeen(cluster, sessions) ?? "",
      width: "6rem",
      isNumber: true,
    },
  ];
  const labels: TableColumn<Cluster> = {
    header: "LABELS",
    text: ({ metadata }) => labelText(metadata.labels),
    width: widths["LABELS"] ?? "",
  };
  return [...(name === undefined ? [] : [name]), labels, ...live, ...others];
}

function apiColumns(): TableColumn<Cluster>[] {
  return columnsOf(Cluster, { wide: true }).flatMap(({ header }, index) =>
    leftOut.has(header)
      ? []
      : [
          {
            header,
            ...(widths[header] === undefined ? {} : { width: widths[header] }),
            text: (cluster: Cluster, nowMs: number) =>
              rowOf(Cluster, cluster, { wide: true, nowMs })[index]?.replace(/^<(?:none|unknown)>$/u, "–") ??
              "",
          },
        ],
  );
}

export function rttText(rttMs: number | undefined): string {
  if (rttMs === undefined) return "–";
  return rttMs === 0 ? "< 1 ms" : `${rttMs} ms`;
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .join(" ");
}

/** A session tells it to the second; the object is written when something about it changes. */
function lastSeen({ metadata, status }: Cluster, sessions: readonly AgentSession[]): string | undefined {
  return roundTripsOf(sessions, metadata.name).lastSeenAt ?? status.agent?.lastSeenAt;
}

type Share = readonly [part: number, whole: number] | undefined;

function readyNodes(views: ClusterFacts["views"], name: string): Share {
  const { nodes } = clusterNumbers(views, name);
  return nodes === undefined ? undefined : [nodes.ready, nodes.count];
}

function runningPods(views: ClusterFacts["views"], name: string): Share {
  const { pods } = clusterNumbers(views, name);
  return pods === undefined ? undefined : [pods.running, pods.wanted];
}

function shareText(share: Share): string {
  return share === undefined ? "–" : share.join(" / ");
}

/** A number of a cluster that is away is from when it was last here. */
function Told({ cluster, share }: { cluster: Cluster; share: Share }): ReactNode {
  const isOld = share !== undefined && !isConnected(cluster);
  return isOld ? (
    <span className="text-faint italic" title="As its agent told last; it is not connected.">
      {shareText(share)}
      <span className="sr-only">, as told last</span>
    </span>
  ) : (
    shareText(share)
  );
}

function Rtt({ rttMs, history }: { rttMs: number | undefined; history: readonly number[] }): ReactNode {
  return (
    <span className="flex items-center justify-end gap-2">
      <Sparkline
        values={history}
        capacity={roundTripCapacity}
        label={`Round trips of the last minutes: ${history.join(", ")} ms`}
      />
      <span className="min-w-12">{rttText(rttMs)}</span>
    </span>
  );
}
