import { BowlineError, type Clock } from "@bowline/core";
import type { KubeClient, KubeObject } from "@bowline/kube";
import type { MetricsInstanceStatus } from "@bowline/monitoring";
import {
  done,
  keyOf,
  parseObjectKey,
  WaitingError,
  type Reconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import { metricsInstances } from "../api/resources.ts";
import type { InstanceReports } from "../status/instance-reports.ts";
import { instanceStatus } from "../status/instance-status.ts";
import { writeStatus } from "../status/status-writer.ts";
import type { ClusterCache } from "../watch/cluster-cache.ts";

interface MetricsInstance extends KubeObject {
  status?: MetricsInstanceStatus;
}

export interface InstanceReconcilerOptions {
  readonly client: KubeClient;
  readonly cache: Pick<ClusterCache, "agents">;
  readonly reports: InstanceReports;
  readonly clock: Clock;
}

const retryMs = 1_000;

/** Says in the status of a MetricsInstance what the agents have made of it. */
export class InstanceReconciler implements Reconciler {
  readonly #options: InstanceReconcilerOptions;

  constructor(options: InstanceReconcilerOptions) {
    this.#options = options;
  }

  async reconcile({ key }: ReconcileRequest, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { client, reports, clock } = this.#options;
    this.#requireAllAgents();
    const instance = await this.#read(key, signal);
    if (instance === undefined) return done;
    const { generation = 0 } = instance.metadata;
    const status = instanceStatus(instance.status, reports.of(key), { generation, nowMs: clock.now() });
    await writeStatus({ client, resource: metricsInstances, object: instance, signal }, status);
    return done;
  }

  /** After a start, half of the agents would give half of the truth. */
  #requireAllAgents(): void {
    const { cache, reports } = this.#options;
    const silent = cache.agents.list().find((agent) => !reports.hasHeardOf(keyOf(agent)));
    if (silent === undefined) return;
    throw new WaitingError("AgentNotRead", `The MetricsAgent ${keyOf(silent)} was not looked at yet.`, {
      requeueAfterMs: retryMs,
    });
  }

  async #read(key: string, signal: AbortSignal): Promise<MetricsInstance | undefined> {
    try {
      return await this.#options.client.get<MetricsInstance>(metricsInstances, {
        ...parseObjectKey(key),
        signal,
      });
    } catch (error) {
      if (BowlineError.from(error).code === "NotFound") return undefined;
      throw error;
    }
  }
}
