import { BowlineError, type Clock } from "@bowline/core";
import type { EventInput, KubeClient } from "@bowline/kube";
import type { MetricsAgentStatus, RenderResult } from "@bowline/monitoring";
import {
  done,
  failureReport,
  findCondition,
  keyOf,
  objectKey,
  parseObjectKey,
  requeueAfter,
  TerminalError,
  type ReconcileContext,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import { agentObjects } from "../objects/agent-objects.ts";
import { replicaCount, shardCount, type MetricsAgent } from "../objects/kinds.ts";
import {
  available,
  monitorsAccepted,
  monitorsSelected,
  notReconciled,
  paused,
  reconciled,
  withConditions,
} from "../status/agent-conditions.ts";
import { eventsOf, failureEvent, findSubject } from "../status/agent-events.ts";
import type { InstanceReports } from "../status/instance-reports.ts";
import { describeOutcome, omitEmpty, outcomeOf, type Outcome } from "../status/outcome.ts";
import {
  allFieldsUsed,
  listUnusedFields,
  unusedFieldEvents,
  type ForeignObject,
} from "../status/unused-fields.ts";
import type { AgentTargets } from "../targets/expected-targets.ts";
import { instanceTargets, type TargetReport } from "../targets/target-report.ts";
import type { AgentInterests } from "../watch/agent-interests.ts";
import type { ClusterCache, FamilyCache } from "../watch/cluster-cache.ts";
import type { ReferencedValues } from "../watch/referenced-values.ts";
import type { ObjectWriter } from "../write/object-writer.ts";
import { writeObjects, type WrittenObjects } from "../write/write-objects.ts";
import type { AgentFamily, FoundAgent } from "./agent-family.ts";
import type { AgentStatuses } from "./agent-statuses.ts";
import { renderAgent, type RenderedAgent } from "./render-agent.ts";

interface AgentReconcilerOptions {
  readonly client: KubeClient;
  readonly family: AgentFamily;
  readonly familyCache: FamilyCache;
  readonly cache: ClusterCache;
  readonly interests: AgentInterests;
  readonly values: ReferencedValues;
  readonly writer: ObjectWriter;
  /** Outcomes of instances, for their own statuses. */
  readonly reports: InstanceReports;
  readonly targets: AgentTargets;
  readonly statuses: AgentStatuses;
  readonly clock: Clock;
  readonly record: (event: EventInput) => void;
  /** Where the image of collectors is that name none: `quay.io/prometheus/prometheus`. */
  readonly imageRepository: string;
  /** Whether the cluster serves EndpointSlices. */
  readonly endpointSliceSupported: () => Promise<boolean>;
}

/** Rights change without any event. */
const forbiddenRetryMs = 300_000;

/** Brings the objects of one agent to what it, its instances and their monitors say. */
export class AgentReconciler implements Reconciler {
  readonly #options: AgentReconcilerOptions;

  constructor(options: AgentReconcilerOptions) {
    this.#options = options;
  }

  async reconcile({ key }: ReconcileRequest, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const found = await this.#options.family.find(parseObjectKey(key), signal);
    if (found === undefined) {
      this.#forget(key);
      return done;
    }
    const { agent } = found;
    if (agent.metadata.deletionTimestamp !== undefined) {
      this.#forget(key);
      // A finalizer may keep it for ever: others must not wait for what it has to say.
      this.#options.reports.keep(key);
      return done;
    }
    if (agent.spec.paused === true) {
      this.#options.reports.keep(key);
      const status = { ...agent.status, ...this.#conditions(agent, [paused()]) };
      await this.#options.statuses.write(agent, status, signal);
      return done;
    }
    try {
      return await this.#apply(found, signal);
    } catch (error) {
      this.#options.reports.keep(key);
      if (!signal.aborted) await this.#reportFailure(agent, error, signal);
      throw error;
    }
  }

  async #apply(found: FoundAgent, signal: AbortSignal): Promise<ReconcileResult> {
    const { agent, refused } = found;
    if (refused !== undefined) throw refused;
    const rendered = await this.#render(agent, signal);
    const wanted = agentObjects(agent, rendered.secrets, this.#options.imageRepository);
    const written = await writeObjects({ ...this.#options, agent, signal }, wanted);
    await this.#reportSuccess(found, { ...rendered, ...written }, signal);
    if (rendered.forbidden.length === 0) return done;
    this.#options.values.forget(rendered.forbidden);
    return requeueAfter(forbiddenRetryMs);
  }

  async #render(agent: MetricsAgent, signal: AbortSignal): Promise<RenderedAgent> {
    const endpointSliceSupported = await this.#options.endpointSliceSupported();
    try {
      return await renderAgent({ ...this.#options, endpointSliceSupported }, agent, signal);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      // Nothing but another spec can help.
      if (error.code === "InvalidArgument")
        throw new TerminalError("InvalidSpec", error.message, { cause: error });
      throw thrown;
    }
  }

  async #reportSuccess(
    found: FoundAgent,
    { result, statefulSets, changes }: { readonly result: RenderResult } & WrittenObjects,
    signal: AbortSignal,
  ): Promise<void> {
    const { agent } = found;
    const { family, familyCache, reports, record, targets, statuses } = this.#options;
    const key = keyOf(agent);
    const shards = shardCount(agent);
    const ready = statefulSets.map(({ status }) => status?.readyReplicas ?? 0);
    const counts = {
      shards,
      replicas: shards * replicaCount(agent),
      readyReplicas: ready.reduce((sum, count) => sum + count, 0),
    };
    const outcome = outcomeOf(result);
    const foreign = family.isForeign ? foreignObjects(found, result, this.#options) : [];
    const withoutMeaning = listUnusedFields(agent, foreign);
    const described = { ...counts, ...describeOutcome(outcome), ...omitEmpty({ withoutMeaning }) };
    const conditions = [
      reconciled(),
      available(ready, replicaCount(agent)),
      monitorsSelected(result),
      monitorsAccepted(described, result.rejected.length),
      ...(family.isForeign ? [allFieldsUsed(foreign)] : []),
    ];
    const status = { ...this.#conditions(agent, conditions), ...described };
    targets.setJobs(key, { jobs: result.jobs, instances: [...outcome.instances.keys()] });
    await statuses.write(agent, status, signal);
    reports.replace(key, withInstanceTargets(outcome.instances, targets.reportOf(key)));
    const find = findSubject(familyCache.selectable());
    const events = [...eventsOf(agent, changes, status, find), ...unusedFieldEvents(agent, foreign)];
    for (const event of events) record(event);
  }

  async #reportFailure(agent: MetricsAgent, thrown: unknown, signal: AbortSignal): Promise<void> {
    const report = failureReport(thrown);
    const known = findCondition(agent.status?.conditions ?? [], "Reconciled");
    const status = { ...agent.status, ...this.#conditions(agent, [notReconciled(report)]) };
    await this.#options.statuses.write(agent, status, signal);
    if (known?.status === "False" && known.message === report.message) return;
    for (const event of failureEvent(agent, report)) this.#options.record(event);
  }

  #conditions(
    { metadata: { generation = 0 }, status }: MetricsAgent,
    updates: Parameters<typeof withConditions>[1],
  ): Required<Pick<MetricsAgentStatus, "observedGeneration" | "conditions">> {
    const at = { generation, nowMs: this.#options.clock.now() };
    return {
      observedGeneration: generation,
      conditions: [...withConditions(status?.conditions ?? [], updates, at)],
    };
  }

  #forget(key: string): void {
    this.#options.interests.forget(key);
    this.#options.reports.forget(key);
    this.#options.targets.forget(key);
    this.#options.values.dropUnreferred();
  }
}

function withInstanceTargets(
  instances: ReadonlyMap<string, Outcome>,
  report: TargetReport | undefined,
): ReadonlyMap<string, Outcome> {
  return new Map(
    [...instances].map(([name, outcome]) => [name, { ...outcome, targets: instanceTargets(report, name) }]),
  );
}

/** The agent and the instances it runs, with what they have that means nothing here. */
function foreignObjects(
  { agent, unusedFields }: FoundAgent,
  { explanation }: RenderResult,
  { family, familyCache }: Pick<AgentReconcilerOptions, "family" | "familyCache">,
): ForeignObject[] {
  const run = explanation.instances
    .filter(({ selected }) => selected)
    .map(({ instance }) => objectKey(instance));
  const running = new Set(run);
  const instances = familyCache.instances.list().filter((instance) => running.has(keyOf(instance)));
  const all = [
    { object: agent, fields: unusedFields },
    ...instances.map((object) => ({ object, fields: family.adoptInstance(object).unusedFields })),
  ];
  return all.filter(({ fields }) => fields.length > 0);
}
