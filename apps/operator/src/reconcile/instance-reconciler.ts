import type { Clock } from "@bowline/core";
import type { KubeClient, KubeObject } from "@bowline/kube";
import type { MetricsInstanceStatus } from "@bowline/monitoring";
import {
  done,
  keyOf,
  parseObjectKey,
  WaitingError,
  type ReconcileContext,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import { metricsInstances } from "../objects/kinds.ts";
import type { InstanceReports } from "../status/instance-reports.ts";
import { instanceStatus } from "../status/instance-status.ts";
import type { FamilyCache } from "../watch/cluster-cache.ts";
import { getIfThere } from "../write/object-writer.ts";
import { StatusWriter } from "../write/status-writer.ts";

interface MetricsInstance extends KubeObject {
  status?: MetricsInstanceStatus;
}

interface InstanceReconcilerOptions {
  readonly client: KubeClient;
  readonly cache: Pick<FamilyCache, "agents">;
  readonly reports: InstanceReports;
  readonly clock: Clock;
}

const retryMs = 1_000;

/** Says in the status of a MetricsInstance what the agents have made of it. */
export class InstanceReconciler implements Reconciler {
  readonly #options: InstanceReconcilerOptions;
  readonly #statuses: StatusWriter;

  constructor(options: InstanceReconcilerOptions) {
    this.#options = options;
    this.#statuses = new StatusWriter(options.client, metricsInstances);
  }

  async reconcile({ key }: ReconcileRequest, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { client, reports, clock } = this.#options;
    this.#requireAllAgents();
    const ref = parseObjectKey(key);
    const instance = await getIfThere<MetricsInstance>(client, metricsInstances, { ...ref, signal });
    if (instance === undefined) {
      this.#statuses.forget(ref);
      return done;
    }
    const { generation = 0 } = instance.metadata;
    const status = instanceStatus(instance.status, reports.of(key), { generation, nowMs: clock.now() });
    await this.#statuses.write({ object: instance, status, signal });
    return done;
  }

  /** After a start, half of the agents would give half of the truth. */
  #requireAllAgents(): void {
    const { cache, reports } = this.#options;
    const silent = cache.agents.list().find((agent) => !reports.has(keyOf(agent)));
    if (silent === undefined) return;
    throw new WaitingError("AgentNotRead", `The MetricsAgent ${keyOf(silent)} was not looked at yet.`, {
      requeueAfterMs: retryMs,
    });
  }
}
