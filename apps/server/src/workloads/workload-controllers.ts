import { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { Clock, Metrics } from "@bowline/core";
import type { Store } from "@bowline/store";
import type { ReadReports } from "@bowline/workloads";

import { objectController, type ObjectController } from "../controllers/object-controller.ts";
import { AgentRights } from "./agent-rights.ts";
import type { ClusterClients } from "./cluster-clients.ts";
import { DeliveryMetrics } from "./delivery-metrics.ts";
import { InstanceReconciler } from "./instance-reconciler.ts";
import { PlacementReconciler } from "./placement-reconciler.ts";
import type { PlacedWork } from "./placement-work.ts";
import { WorkloadResources } from "./workload-resource.ts";
import { instanceWatches, placementWatches } from "./workload-watches.ts";

/**
 * Placements wait for clusters most of the time, and what a cluster is to have is sent before anything is written about it:
 * the more are begun, the sooner the last of many clusters has it.
 */
const placementConcurrency = 128;
/** Definitions of resources and namespaces are waited for, and clusters may be far away. */
const placementTimeLimitMs = 5 * 60_000;

interface ReportTools {
  readonly store: Store;
  readonly clock: Clock;
}

/** Reads how the objects of a placement do. */
export type ReadReported = (tools: ReportTools, work: PlacedWork) => ReturnType<ReadReports>;

/** The controllers of instances and of their placements. */
export function workloadControllers(
  clients: ClusterClients,
  readReported: ReadReported,
  metrics: Metrics,
): readonly ObjectController[] {
  const delivery = new DeliveryMetrics(metrics);
  return [
    objectController({
      kind: WorkloadInstance,
      watches: instanceWatches,
      reconciler: ({ store, clock }) => new InstanceReconciler(store, clock),
    }),
    objectController({
      kind: WorkloadPlacement,
      watches: placementWatches,
      concurrency: placementConcurrency,
      timeLimitMs: placementTimeLimitMs,
      reconciler: ({ store, clock, random }) =>
        new PlacementReconciler({
          store,
          clients,
          workloadResources: new WorkloadResources(clients, clock),
          agentRights: new AgentRights(clients, clock),
          readReported: (work) => readReported({ store, clock }, work),
          metrics: delivery,
          clock,
          random,
        }),
    }),
  ];
}
