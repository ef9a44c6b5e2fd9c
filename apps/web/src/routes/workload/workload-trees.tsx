import type { WorkloadInstance, WorkloadPlacement, WorkloadTree } from "@bowline/api";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useAskAgain, useReports } from "../../live/report-changes.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { healthInCluster } from "../workloads/workload-health.ts";
import { adviceFor } from "./reasons.ts";
import { ResourceLine, ResourceTree } from "./resource-tree.tsx";
import { causesIn, treeNodes, type TreeNode } from "./tree-nodes.ts";

interface TreesProps {
  readonly instance: WorkloadInstance;
  readonly placements: readonly WorkloadPlacement[];
}

/** Where nobody says when something has changed. */
const againMs = 15_000;
const noClusters: readonly string[] = [];

/** Asked again when an agent has reported from one of its clusters: pods come and go without the placement saying so. */
export function useWorkloadTree(name: string, placed = ""): UseQueryResult<WorkloadTree> {
  const [clusters, setClusters] = useState(noClusters);
  const { version, isDeaf } = useReports("workloads", clusters);
  const tree = useQuery({
    queryKey: ["tree", name],
    queryFn: ({ signal }) =>
      request<WorkloadTree>(`/api/v1/workloadinstances/${encodeURIComponent(name)}/tree`, { signal }),
    refetchInterval: isDeaf ? againMs : false,
  });
  const { data, refetch } = tree;
  const found = data?.clusters.map(({ cluster }) => cluster) ?? noClusters;
  if (found.join(" ") !== clusters.join(" ")) setClusters(found);
  useAskAgain(`${version} ${placed}`, () => refetch());
  return tree;
}

/** The objects of a workload in each of its clusters, those that are the cause of trouble before all others. */
export function WorkloadTrees({ instance, placements }: TreesProps): ReactNode {
  const version = placements.map(({ metadata }) => metadata.resourceVersion).join(" ");
  const { data, error, refetch } = useWorkloadTree(instance.metadata.name, version);
  const failure = failureIn(error);
  if (failure !== undefined && data === undefined) {
    return <Failed failure={failure} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading what="the resources" />;
  const left = data.clusterCount - data.clusters.length;
  return (
    <div className="space-y-4 p-4">
      {data.clusters.length === 0 && <Empty>It is placed in no cluster.</Empty>}
      {data.clusters.map((tree) => (
        <ClusterSection
          key={tree.cluster}
          tree={tree}
          instance={instance}
          placement={placements.find(({ spec }) => spec.cluster === tree.cluster)}
        />
      ))}
      {left > 0 && <p className="text-muted">{left} more clusters are not shown.</p>}
    </div>
  );
}

interface ClusterSectionProps {
  readonly tree: WorkloadTree["clusters"][number];
  readonly instance: WorkloadInstance;
  readonly placement: WorkloadPlacement | undefined;
}

function ClusterSection({ tree, instance, placement }: ClusterSectionProps): ReactNode {
  const nodes = useMemo(
    () => treeNodes(tree, placement?.status.resources ?? []),
    [tree, placement?.status.resources],
  );
  const causes = useMemo(() => causesIn(nodes), [nodes]);
  const state = instance.status.clusters.find(({ cluster }) => cluster === tree.cluster);
  const { health, reason, message } =
    state === undefined
      ? { health: tree.health, reason: tree.healthReason, message: tree.healthMessage }
      : healthInCluster(state);
  const left = tree.resourceCount - tree.resources.length;
  return (
    <section aria-label={`In ${tree.cluster}`} className="rounded-md border border-border">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-border bg-surface px-3 py-2">
        <h2 className="text-lg">
          <Link to="/c/$cluster" params={{ cluster: tree.cluster }}>
            {cleanText(tree.cluster)}
          </Link>
        </h2>
        <HealthMark health={health} />
        {health !== "Healthy" && instance.status.clusters.length > 1 && (
          <span className="text-muted wrap-anywhere">{cleanText(`${reason}. ${message}`, 600)}</span>
        )}
        <span className="ml-auto text-xs text-muted">
          {tree.observedAt === undefined ? (
            "not observed yet"
          ) : (
            <>
              last news <Age at={tree.observedAt} /> ago
            </>
          )}
        </span>
      </header>
      {health !== "Healthy" && instance.status.clusters.length > 1 && adviceFor(reason) !== undefined && (
        <p className="px-3 py-1 text-muted">What to do: {adviceFor(reason)}</p>
      )}
      <Causes causes={causes} cluster={tree.cluster} />
      <Unapplied placement={placement} nodes={nodes} cluster={tree.cluster} />
      <ResourceTree nodes={nodes} cluster={tree.cluster} />
      {left > 0 && <p className="px-3 py-1 text-muted">{left} more objects are not shown.</p>}
    </section>
  );
}

/** What to look at: the objects that the trouble comes from, each with the way to its logs and shell. */
function Causes({ causes, cluster }: { causes: readonly TreeNode[]; cluster: string }): ReactNode {
  if (causes.length === 0) return null;
  const shown = causes.slice(0, 5);
  return (
    <div className="border-b border-border px-3 py-2">
      <h3>Where the trouble is</h3>
      <ul aria-label={`Trouble in ${cluster}`}>
        {shown.map((node) => (
          <li key={node.key}>
            <ResourceLine node={node} cluster={cluster} isInFull />
          </li>
        ))}
      </ul>
      {causes.length > shown.length && (
        <p className="text-muted">and {causes.length - shown.length} more below</p>
      )}
    </div>
  );
}

/** Objects that the cluster refused are in no tree: they are not there. */
function Unapplied({
  placement,
  nodes,
  cluster,
}: {
  placement: WorkloadPlacement | undefined;
  nodes: readonly TreeNode[];
  cluster: string;
}): ReactNode {
  const seen = new Set(nodes.flatMap(({ placed }) => (placed === undefined ? [] : [placed])));
  const others = (placement?.status.resources ?? []).filter(
    (resource) => !seen.has(resource) && resource.state !== "applied",
  );
  if (others.length === 0) return null;
  return (
    <div className="border-b border-border px-3 py-2">
      <h3>Not as it should be</h3>
      <ul aria-label={`Not applied in ${cluster}`}>
        {others.map(({ group, kind, namespace = "", name, state, reason = "", message = "" }) => (
          <li key={`${group}/${kind}/${namespace}/${name}`} className="wrap-anywhere">
            <span className="font-semibold">{cleanText(`${kind} ${name}`, 200)}</span> {state}{" "}
            {cleanText(`${reason} ${message}`, 800)}
            {adviceFor(reason) !== undefined && <span className="text-muted"> {adviceFor(reason)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
