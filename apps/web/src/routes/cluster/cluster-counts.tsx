import type { Cluster } from "@bowline/api";
import type { ReactNode } from "react";

import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf } from "../../text/time.ts";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { isConnected } from "../clusters/cluster-health.ts";
import { clusterNumbers } from "../clusters/cluster-numbers.ts";
import { useClusterViews } from "../clusters/cluster-queries.ts";

const colours: Readonly<Record<string, string>> = {
  Running: "bg-healthy",
  Pending: "bg-progressing",
  Failed: "bg-degraded",
  Succeeded: "bg-suspended",
};

/** Nodes and pods as the agent has counted them. */
export function ClusterCounts({ cluster }: { cluster: Cluster }): ReactNode {
  const nowMs = useNowMs();
  const views = useClusterViews();
  const { nodes, pods, phases } = clusterNumbers(views.items, cluster.metadata.name);
  const isOld = !isConnected(cluster);
  if (isInTheWay(views)) return <ListState list={views} what="the numbers" isPart />;
  if (nodes === undefined && pods === undefined) {
    return (
      <p className="text-muted">
        No numbers: no AccessGrant lets you see the whole of this cluster, or its agent may not count, or has
        not yet.
      </p>
    );
  }
  const total = phases.reduce((sum, [, count]) => sum + count, 0);
  return (
    <div className={`space-y-3 ${isOld ? "grayscale" : ""}`}>
      {isOld && (
        <p role="status" className="text-missing">
          As its agent told last, {ageOf(cluster.status.agent?.lastSeenAt, nowMs)} ago.
        </p>
      )}
      <p>
        <span className="text-lg">{nodes === undefined ? "–" : `${nodes.ready} of ${nodes.count}`}</span>{" "}
        <span className="text-muted">nodes ready</span>
        <span className="ml-6 text-lg">
          {pods === undefined ? "–" : `${pods.running} of ${pods.wanted}`}
        </span>{" "}
        <span className="text-muted">pods running</span>
      </p>
      {total > 0 && (
        <>
          <div aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-sm">
            {phases.map(([phase, count]) => (
              <div
                key={phase}
                className={colours[phase] ?? "bg-unknown"}
                style={{ width: `${(count / total) * 100}%` }}
              />
            ))}
          </div>
          <ul aria-label="Pods by phase" className="flex flex-wrap gap-x-6">
            {phases.map(([phase, count]) => (
              <li key={phase} className="flex items-center gap-1">
                <span
                  aria-hidden="true"
                  className={`size-2 rounded-full ${colours[phase] ?? "bg-unknown"}`}
                />
                {count.toLocaleString("en")} <span className="text-muted">{cleanText(phase, 40)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
