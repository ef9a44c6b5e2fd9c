import type { Cluster, WorkloadInstance } from "@bowline/api";
import { allPages } from "@bowline/core";
import type { Verdict } from "@bowline/health";
import { findCondition } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { PlacementFacts } from "./placement-health.ts";
import { judgeResource, resourceTrees } from "./resource-verdicts.ts";

const pageSize = 1_000;
/** An agent that is away for less comes back before anybody has to know. */
export const awayMs = 30_000;

/** Reads all that is known of an instance in a cluster. Facts of objects are judged page by page, and not kept. */
export async function readPlacementFacts(
  { inventory, reports }: Pick<Store, "inventory" | "reports">,
  cluster: Cluster,
  instance: WorkloadInstance,
  nowMs: number,
): Promise<PlacementFacts> {
  const clusterId = cluster.metadata.id;
  const key = { clusterId, instanceId: instance.metadata.id };
  const workload = instance.metadata.name;
  const now = new Date(nowMs);
  const [items, resources, cursor] = await Promise.all([
    allPages((page) => inventory.list(key, { limit: pageSize, cursor: page })),
    allPages(async (cursor) => {
      const page = await reports.list({ clusterId, workload, limit: pageSize, cursor });
      return { ...page, items: page.items.map((resource) => judgeResource(resource, now)) };
    }),
    reports.cursor(clusterId),
  ]);
  return { items, trees: resourceTrees(resources), cursor, outdated: outdatedBy(cluster, nowMs), nowMs };
}

export function isConnected({ status }: Cluster): boolean {
  return findCondition(status.conditions, "AgentConnected")?.status === "True";
}

/** What an agent told before it went away may have changed since: old green must not be shown. */
function outdatedBy(cluster: Cluster, nowMs: number): Verdict | undefined {
  const { status } = cluster;
  const condition = findCondition(status.conditions, "AgentConnected");
  if (condition === undefined || condition.status === "True") return undefined;
  if (nowMs - Date.parse(condition.lastTransitionTime) < awayMs) return undefined;
  const since = status.agent?.lastSeenAt ?? condition.lastTransitionTime;
  const message = `The agent of the cluster was last heard from at ${since}; how it does since, nobody knows.`;
  return { health: "Unknown", reason: "AgentDisconnected", message };
}
