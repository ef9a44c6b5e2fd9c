import { hasCode } from "@bowline/core";
import { findCondition } from "@bowline/runtime";

import { watched, workloadForbidden, type AgentRights } from "./agent-rights.ts";
import { clusterKey } from "./engine-in-cluster.ts";
import type { PlacementStatus } from "./placement-status.ts";
import { retryFailedMs, type Work } from "./placement-work.ts";
import { workloadParts, type WorkloadResources } from "./workload-resource.ts";
import { conditionsOf, writeStatus } from "./write-placement.ts";

interface ToldClustersOptions {
  readonly workloadResources: WorkloadResources;
  readonly agentRights: AgentRights;
}

/** Tells clusters what is placed in them, so that their agents watch it. */
export class ToldClusters {
  readonly #options: ToldClustersOptions;

  constructor(options: ToldClustersOptions) {
    this.#options = options;
  }

  /** Resolves to when to look again: what the agent may not do is told, until somebody has allowed it. */
  async tell(work: Work, status: PlacementStatus): Promise<number> {
    const { cluster, task } = work;
    const missing = await this.#writeResource(work, status).then(
      () =>
        this.#options.agentRights.missing({
          cluster: cluster.metadata.name,
          clusterKey: clusterKey(cluster),
          connectedSince: cluster.status.agent?.connectedSince ?? "",
          resources: status.resources,
          signal: task.signal,
        }),
      (error: unknown) => {
        if (hasCode(error, "Forbidden")) return workloadForbidden;
        throw error;
      },
    );
    const isMissing = findCondition(status.conditions, "Watched")?.status === "False";
    if (missing !== undefined || isMissing) {
      const Watched = missing ?? watched;
      await writeStatus(work, (now) => ({ ...now, ...conditionsOf(work, now, { Watched }) }));
    }
    return missing === undefined ? Infinity : retryFailedMs;
  }

  /** Beside the resources, for the agent, which watches what it names, and for kubectl. */
  async #writeResource({ placement, instance, cluster, task }: Work, status: PlacementStatus): Promise<void> {
    await this.#options.workloadResources.write({
      cluster: cluster.metadata.name,
      clusterKey: clusterKey(cluster),
      name: placement.spec.instance,
      ...workloadParts(instance.metadata.id, status),
      signal: task.signal,
    });
  }
}
