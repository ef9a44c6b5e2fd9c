import type { AgentSessionList, ClusterAccess, ClusterView } from "@bowline/api";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { useLive, type ListOptions } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import type { LiveSnapshot } from "../../live/watched-objects.ts";

/** Numbers of tunnels change with every byte: they are asked for while somebody looks. */
const sessionsEveryMs = 5_000;

/** The sessions of agents, of one cluster or of all. */
export function useAgentSessions(cluster?: string): UseQueryResult<AgentSessionList> {
  const query = cluster === undefined ? "" : `?cluster=${encodeURIComponent(cluster)}`;
  return useQuery({
    queryKey: ["agent-sessions", cluster],
    queryFn: ({ signal }) => request<AgentSessionList>(`/api/v1/agent-sessions${query}`, { signal }),
    refetchInterval: sessionsEveryMs,
  });
}

const byClusterAndName: ListOptions<ClusterView> = { keyOf: ({ cluster, name }) => `${cluster}/${name}` };

/** Nodes and pods of all clusters that one has AccessGrants for, as they change. */
export function useClusterViews(): LiveSnapshot<ClusterView> {
  return useLive("/api/v1/views?name=nodes,pods-by-phase", byClusterAndName);
}

/** As whom one may reach a cluster. Grants are seldom written, but somebody may wait for one. */
export function useClusterAccess(cluster: string, everyMs = 60_000): UseQueryResult<ClusterAccess> {
  return useQuery({
    queryKey: ["cluster-access", cluster],
    queryFn: ({ signal }) =>
      request<ClusterAccess>(`/api/v1/clusters/${encodeURIComponent(cluster)}/access`, { signal }),
    refetchInterval: everyMs,
  });
}
