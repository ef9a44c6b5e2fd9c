import { BowlineError, type Clock } from "@bowline/core";
import type { EventInput, KubeClient } from "@bowline/kube";
import type { MetricsAgentStatus, RenderResult } from "@bowline/monitoring";
import {
  done,
  failureReport,
  findCondition,
  keyOf,
  parseObjectKey,
  requeueAfter,
  TerminalError,
  type Reconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import { replicaCount, shardCount, type MetricsAgent } from "../api/metrics-agent.ts";
import { metricsAgents } from "../api/resources.ts";
import {
  available,
  monitorsAccepted,
  monitorsSelected,
  notReconciled,
  paused,
  reconciled,
  withConditions,
} from "../status/agent-conditions.ts";
import { eventsOf, failureEvent } from "../status/agent-events.ts";
import { describeOutcome, outcomeOf } from "../status/agent-status.ts";
import { findSubject } from "../status/find-subject.ts";
import type { InstanceReports } from "../status/instance-reports.ts";
import { writeStatus } from "../status/status-writer.ts";
import type { ReferencedValues } from "../values/referenced-values.ts";
import type { AgentInterests } from "../watch/agent-interests.ts";
import type { ClusterCache } from "../watch/cluster-cache.ts";
import { agentObjects } from "./agent-objects.ts";
import { discover, type Discovered } from "./discover.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { writeObjects, type WrittenObjects } from "./write-objects.ts";

export interface AgentReconcilerOptions {
  readonly client: KubeClient;
  readonly cache: ClusterCache;
  readonly interests: AgentInterests;
  readonly values: ReferencedValues;
  readonly writer: ObjectWriter;
  /** Where agents say what became of their instances. */
  readonly reports: InstanceReports;
  readonly clock: Clock;
  readonly record: (event: EventInput) => void;
  /** Where the image of collectors is that name none: `quay.io/prometheus/prometheus`. */
  readonly imageRepository: string;
  /** Whether the cluster serves EndpointSlices. */
  readonly endpointSliceSupported: () => Promise<boolean>;
}

/** Rights change without any event. */
const forbiddenRetryMs = 300_000;

/** Brings the objects of one MetricsAgent to what it, its instances and their monitors say. */
export class AgentReconciler implements Reconciler {
  readonly #options: AgentReconcilerOptions;

  constructor(options: AgentReconcilerOptions) {
    this.#options = options;
  }

  async reconcile({ key }: ReconcileRequest, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const agent = await this.#read(key, signal);
    if (agent === undefined || agent.metadata.deletionTimestamp !== undefined) {
      this.#forget(key);
      return done;
    }
    if (agent.spec.paused === true) {
      this.#options.reports.keep(key);
      await this.#tell(agent, { ...agent.status, ...this.#conditions(agent, [paused()]) }, signal);
      return done;
    }
    try {
      return await this.#bringAbout(agent, signal);
    } catch (error) {
      this.#options.reports.keep(key);
      if (!signal.aborted) await this.#tellFailure(agent, error, signal);
      throw error;
    }
  }

  async #bringAbout(agent: MetricsAgent, signal: AbortSignal): Promise<ReconcileResult> {
    const discovered = await this.#discover(agent, signal);
    const wanted = agentObjects(agent, discovered, this.#options.imageRepository);
    const written = await writeObjects({ ...this.#options, agent, signal }, wanted);
    await this.#tellSuccess(agent, { ...discovered, ...written }, signal);
    if (discovered.forbidden.length === 0) return done;
    this.#options.values.forget(discovered.forbidden);
    return requeueAfter(forbiddenRetryMs);
  }

  async #read(key: string, signal: AbortSignal): Promise<MetricsAgent | undefined> {
    try {
      return await this.#options.client.get<MetricsAgent>(metricsAgents, { ...parseObjectKey(key), signal });
    } catch (error) {
      if (BowlineError.from(error).code === "NotFound") return undefined;
      throw error;
    }
  }

  async #discover(agent: MetricsAgent, signal: AbortSignal): Promise<Discovered> {
    const endpointSliceSupported = await this.#options.endpointSliceSupported();
    try {
      return await discover({ ...this.#options, endpointSliceSupported }, agent, signal);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      // Nothing but another spec can help.
      if (error.code === "InvalidArgument")
        throw new TerminalError("InvalidSpec", error.message, { cause: error });
      throw thrown;
    }
  }

  async #tellSuccess(
    agent: MetricsAgent,
    { result, statefulSets, changes }: { readonly result: RenderResult } & WrittenObjects,
    signal: AbortSignal,
  ): Promise<void> {
    const shards = shardCount(agent);
    const ready = statefulSets.map(({ status }) => status?.readyReplicas ?? 0);
    const counts = {
      shards,
      replicas: shards * replicaCount(agent),
      readyReplicas: ready.reduce((sum, count) => sum + count, 0),
    };
    const outcome = outcomeOf(result);
    const described = { ...counts, ...describeOutcome(outcome) };
    const told = [
      reconciled(),
      available(ready, replicaCount(agent)),
      monitorsSelected(result),
      monitorsAccepted(described, result.rejected.length),
    ];
    const status = { ...this.#conditions(agent, told), ...described };
    await this.#tell(agent, status, signal);
    this.#options.reports.replace(keyOf(agent), outcome.instances);
    const find = findSubject(this.#options.cache.selectable());
    for (const event of eventsOf(agent, changes, status, find)) this.#options.record(event);
  }

  async #tellFailure(agent: MetricsAgent, thrown: unknown, signal: AbortSignal): Promise<void> {
    const report = failureReport(thrown);
    const known = findCondition(agent.status?.conditions ?? [], "Reconciled");
    await this.#tell(agent, { ...agent.status, ...this.#conditions(agent, [notReconciled(report)]) }, signal);
    if (known?.status === "False" && known.message === report.message) return;
    for (const event of failureEvent(agent, report)) this.#options.record(event);
  }

  #conditions(
    { metadata: { generation = 0 }, status }: MetricsAgent,
    told: Parameters<typeof withConditions>[1],
  ): Required<Pick<MetricsAgentStatus, "observedGeneration" | "conditions">> {
    const at = { generation, nowMs: this.#options.clock.now() };
    return {
      observedGeneration: generation,
      conditions: [...withConditions(status?.conditions ?? [], told, at)],
    };
  }

  #tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    return writeStatus({ client, resource: metricsAgents, object: agent, signal }, status);
  }

  #forget(key: string): void {
    this.#options.interests.forget(key);
    this.#options.reports.forget(key);
    this.#options.values.dropUnreferred();
  }
}
