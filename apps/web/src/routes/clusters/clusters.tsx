import { Cluster } from "@bowline/api";
import { lazyRouteComponent, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import { clusterColumns } from "./cluster-columns.tsx";
import { clusterHealth } from "./cluster-health.ts";
import { useAgentSessions, useClusterViews } from "./cluster-queries.ts";
import { useCreateOff } from "../create-cluster/create-off.ts";

const CreateCluster = lazyRouteComponent(
  () => import("../create-cluster/create-cluster.tsx"),
  "CreateCluster",
);

function clusterMark(cluster: Cluster): ReactNode {
  return <HealthMark health={clusterHealth(cluster).health} word={false} />;
}

/** All clusters, and how their tunnels do. */
export function Clusters(): ReactNode {
  const search = useSearch({ from: "/_in/clusters" });
  const navigate = useNavigate();
  const list = useObjects(Cluster);
  const views = useClusterViews();
  const { data: sessions } = useAgentSessions();
  const columns = useMemo(
    () => clusterColumns({ views: views.items, sessions: sessions?.items ?? [] }),
    // The map of a watch is always the same; what tells that something has changed is what holds it.
    [views, sessions],
  );
  const off = useCreateOff();
  const set = (change: { q?: string; sort?: string; desc?: boolean; new?: boolean }): void =>
    void navigate({ to: "/clusters", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <ObjectList
        title="Clusters"
        kind="clusters"
        what="the clusters"
        empty={
          <>
            <p className="mb-3">
              No cluster yet. An agent in a cluster calls this server; nothing has to be opened there. Or have
              one made.
            </p>
            <JoinLink />
          </>
        }
        list={list}
        columns={columns}
        search={search}
        onSearch={set}
        onOpen={({ metadata }) => void navigate({ to: "/c/$cluster", params: { cluster: metadata.name } })}
        mark={clusterMark}
        actions={
          <>
            <Button off={off} onClick={() => set({ new: true })}>
              Create a cluster
            </Button>
            <JoinLink />
          </>
        }
      />
      {search.new === true && (
        <Suspense fallback={null}>
          <CreateCluster onClose={() => set({ new: false })} />
        </Suspense>
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
