import { Cluster, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { BowlineError, hasCode, type Clock, type Random } from "@bowline/core";
import { offlineError } from "@bowline/gateway";
import { done, requeueAfter, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";
import type {
  ReadReports,
  ReconcileResult as EngineResult,
  Workload,
  WorkloadEngine,
} from "@bowline/workloads";

import { drainLeftMs } from "../controllers/cluster-drain.ts";
import type { AgentRights } from "./agent-rights.ts";
import type { ClusterClients } from "./cluster-clients.ts";
import { Corrections, noDrift } from "./corrections.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import { deleteHooksLeftMs, skippedHooksEvent } from "./delete-hooks.ts";
import { DeletionWaits } from "./deletion-waits.ts";
import { clusterKey, withEngine, workloadIn } from "./engine-in-cluster.ts";
import { notGrantedStatement, removalStatement } from "./grant-statements.ts";
import { removeResources } from "./instance-reconciler.ts";
import { LedClusters, recordsMs } from "./led-clusters.ts";
import { inputsOf } from "./placement-inputs.ts";
import { PlacementRights } from "./placement-rights.ts";
import { appliedStatement, resourcesAfter } from "./placement-status.ts";
import {
  hasReason,
  isTrue,
  isTrueIn,
  retryFailedMs,
  type PlacedWork,
  type Placement,
  type PlacementTask,
  type Work,
} from "./placement-work.ts";
import { RevisionContents } from "./revision-contents.ts";
import { ToldClusters } from "./told-clusters.ts";
import { Verifications } from "./verifications.ts";
import type { WorkloadResources } from "./workload-resource.ts";
import { conditionsOf, writeDrift, writeResult, writeStatus } from "./write-placement.ts";

export interface PlacementReconcilerOptions {
  readonly store: Pick<Store, "objects" | "revisions" | "inventory">;
  readonly clients: ClusterClients;
  readonly workloadResources: WorkloadResources;
  readonly agentRights: AgentRights;
  /** How the objects of a placement do, as its agent has told. */
  readonly readReported: (work: PlacedWork) => ReturnType<ReadReports>;
  readonly metrics: DeliveryMetrics;
  readonly clock: Clock;
  readonly random: Random;
}

/** How soon reports are looked at again that something waits for: they lead here, unless they say what was believed before. */
const reportsMs = 15_000;
/** How soon it is tried again what an agent could not be told that is said to be connected: each time later, up to the last. */
const reconnectMs = { first: 250, last: 5_000 } as const;
/** So often it is tried again before anybody is told that the agent is away. */
const quietRetries = 2;

/**
 * Keeps one revision in one cluster: applies it for the user that the placement acts for, prunes, sets drift right, and
 * removes everything when the placement goes. It reads what is so now and does what is missing, so that it may be ended
 * at any point and begun again anywhere.
 */
export class PlacementReconciler {
  readonly #options: PlacementReconcilerOptions;
  readonly #corrections: Corrections;
  readonly #verifications: Verifications;
  readonly #deletions: DeletionWaits;
  readonly #contents: RevisionContents;
  readonly #told: ToldClusters;
  readonly #rights: PlacementRights;
  readonly #led: LedClusters;
  /** How often in a row the agent could not be reached, by id of the placement. */
  readonly #unreached = new Map<string, number>();

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
    this.#corrections = new Corrections(options.clock);
    this.#verifications = new Verifications(options);
    this.#deletions = new DeletionWaits(options.clock);
    this.#contents = new RevisionContents(options.store.revisions);
    this.#told = new ToldClusters(options);
    this.#rights = new PlacementRights(options.clients);
    this.#led = new LedClusters(options.store.objects);
  }

  async reconcile(placement: Placement, task: PlacementTask): Promise<ReconcileResult> {
    const { objects } = this.#options.store;
    const instance = await objects.get(WorkloadInstance, placement.spec.instance);
    const cluster = await objects.get(Cluster, placement.spec.cluster);
    if (instance === undefined || cluster === undefined) return this.#forget(placement, task);
    // A cluster that leaves Bowline keeps what runs in it: nobody can reach it from here afterwards. One that Bowline
    // takes away is emptied first, for a while.
    const drainMs = cluster.metadata.deletedAt === undefined ? Infinity : drainLeftMs(cluster, task.nowMs());
    if (drainMs === 0) return this.#forget(placement, task);
    if (
      placement.metadata.deletedAt !== undefined &&
      (await this.#led.awaitsRecords(cluster, task.nowMs()))
    ) {
      return requeueAfter(recordsMs);
    }
    const work: Work = { placement, instance, cluster, task };
    try {
      const result = await this.#reconcile(work);
      this.#unreached.delete(placement.metadata.id);
      return drainMs === Infinity ? result : soonest(result, drainMs);
    } catch (error) {
      if (!hasCode(error, "AgentOffline", "TunnelLost", "TunnelDraining")) throw error;
      return this.#retrySoon(work);
    }
  }

  /** It was connected a moment ago, or is so and has yet to open its tunnel: no failure before it had the time to. */
  async #retrySoon(work: Work): Promise<ReconcileResult> {
    const { id } = work.placement.metadata;
    const failures = this.#unreached.get(id) ?? 0;
    this.#unreached.set(id, failures + 1);
    if (failures >= quietRetries) await this.#waitForAgent(work);
    return requeueAfter(Math.min(reconnectMs.first * 2 ** failures, reconnectMs.last));
  }

  async #reconcile(work: Work): Promise<ReconcileResult> {
    const { placement, cluster, task } = work;
    const isConnected = cluster.status.agent?.connectedSince !== undefined;
    if (placement.metadata.deletedAt !== undefined && (await this.#hasNothing(work))) {
      if (isConnected) return this.#leave(work);
      // Nobody waits for an agent to remove what was never there. Where something was, the cluster has been told of it.
      if (!wasApplied(placement)) return this.#forget(placement, task);
    }
    if (!isConnected) return this.#waitForAgent(work);
    const identity = await this.#rights.identity(work);
    if (identity === undefined) return this.#refuse(work);
    return placement.metadata.deletedAt === undefined
      ? this.#keep(work, identity)
      : this.#remove(work, identity);
  }

  async #hasNothing({ instance, cluster }: Work): Promise<boolean> {
    const key = { instanceId: instance.metadata.id, clusterId: cluster.metadata.id };
    return (await this.#options.store.inventory.list(key, { limit: 1 })).items.length === 0;
  }

  async #keep(work: Work, identity: Identity): Promise<ReconcileResult> {
    const { placement, task } = work;
    const workload = await this.#workloadOf(work);
    const inputs = inputsOf(work, workload);
    const isApplied = placement.status.applied === inputs;
    const lost = isApplied ? this.#rights.lost(work, identity) : undefined;
    const isTold = lost === undefined ? isTrue(placement, "Applied") : hasReason(placement, lost.reason);
    const isDone = isApplied && isTold;
    const drift = placement.spec.drift === "correct" ? this.#corrections.driftOf(placement) : noDrift;
    const verify = isDone && this.#verifications.isDue(placement);
    if (isDone && drift.due.length === 0 && !verify) {
      const status = await writeDrift(work, drift);
      const againMs = Math.min(
        await this.#told.tell(work, status),
        this.#verifications.untilDueMs(placement.metadata.id),
      );
      return requeueAfter(Math.min(againMs, drift.againMs, this.#rights.untilExpiryMs(work, identity)));
    }
    const { metrics, clock } = this.#options;
    const began = clock.monotonicMs();
    const result = await this.#withEngine(work, identity, (engine) =>
      engine.reconcile(workload, {
        signal: task.signal,
        drifted: drift.due,
        verify,
        reported: () => this.#options.readReported(work),
        waitedMs: this.#deletions.waitedMs(placement.metadata.id),
      }),
    );
    metrics.applied(clock.monotonicMs() - began);
    const deletedMs = this.#deletions.note(placement.metadata.id, result.objects) ?? Infinity;
    metrics.corrected(this.#corrections.note(placement, drift.due, result.objects));
    if (verify || !isDone) this.#verifications.note(placement.metadata.id);
    const status = await writeResult(work, { workload, inputs, result, drift, lost });
    if (result.isApplied && placement.status.revision !== workload.revision) await this.#tellArrival(work);
    const rightsMs = await this.#told.tell(work, status);
    if (result.retry !== undefined) throw result.retry;
    const untilMs = waitsForReports(result) ? reportsMs : retryFailedMs;
    const againMs = isTrueIn(status, "Applied")
      ? this.#verifications.untilDueMs(placement.metadata.id)
      : Math.min(untilMs, deletedMs);
    return requeueAfter(
      Math.min(againMs, rightsMs, drift.againMs, this.#rights.untilExpiryMs(work, identity)),
    );
  }

  /** A cluster that had nothing of it has not waited for the commit, nor has one that somebody has pinned to another. */
  async #tellArrival({ placement, task }: Work): Promise<void> {
    const { definition: name, revision } = placement.spec;
    if (placement.status.revision === undefined) return;
    const definition = await this.#options.store.objects.get(WorkloadDefinition, name);
    const { id, arrivedAt } = definition?.status.revision ?? {};
    if (id !== revision || arrivedAt === undefined) return;
    this.#options.metrics.commitApplied(task.nowMs() - Date.parse(arrivedAt));
  }

  async #remove(work: Work, identity: Identity): Promise<ReconcileResult> {
    const { placement, task } = work;
    const { deletionPolicy } = placement.spec;
    const waiting = deletionPolicy === "delete" ? await this.#runDeleteHooks(work, identity) : undefined;
    if (waiting !== undefined) return waiting;
    const result = await this.#withEngine(work, identity, (engine) =>
      engine.remove(deletionPolicy, {
        signal: task.signal,
        waitedMs: this.#deletions.waitedMs(placement.metadata.id),
      }),
    );
    const deletedMs = this.#deletions.note(placement.metadata.id, result.objects);
    if (!result.isGone) {
      await writeStatus(work, (status) => ({
        ...status,
        ...resourcesAfter(status.resources, result.objects),
        ...conditionsOf(work, status, {
          Applied: removalStatement(work, appliedStatement({ ...result, ...placement.spec })),
        }),
      }));
      if (result.retry !== undefined) throw result.retry;
      if (deletedMs !== undefined) return requeueAfter(deletedMs);
      throw new BowlineError("ReconcileWaiting", "Objects could not be deleted yet.");
    }
    return this.#leave(work);
  }

  /** Resolves to when to look again; undefined when there is nothing to wait for, or no more time to. */
  async #runDeleteHooks(work: Work, identity: Identity): Promise<ReconcileResult | undefined> {
    const { placement, task } = work;
    const workload = await this.#workloadOf(work).catch(orGone);
    if (workload === undefined) return undefined;
    const result = await this.#withEngine(work, identity, (engine) =>
      engine.runDeleteHooks(workload, {
        signal: task.signal,
        reported: () => this.#options.readReported(work),
      }),
    ).catch(orGone);
    if (result === undefined || result.isDone) return undefined;
    const leftMs = deleteHooksLeftMs(result, { ...work, nowMs: task.nowMs() });
    if (leftMs === 0) {
      await task.recordEvent(skippedHooksEvent(result));
      return undefined;
    }
    const status = await writeStatus(work, (now) => ({
      ...now,
      ...resourcesAfter(now.resources, result.objects),
      ...conditionsOf(work, now, { Applied: appliedStatement({ ...result, ...placement.spec }) }),
    }));
    await this.#told.tell(work, status);
    if (result.retry !== undefined) throw result.retry;
    return requeueAfter(Math.min(leftMs, reportsMs));
  }

  /** Everything else is gone from the cluster. */
  async #leave({ placement, cluster, task }: Work): Promise<ReconcileResult> {
    const { name } = cluster.metadata;
    const { instance } = placement.spec;
    await this.#options.workloadResources.delete(name, clusterKey(cluster), instance, task.signal);
    return this.#forget(placement, task);
  }

  async #forget({ metadata }: Placement, task: PlacementTask): Promise<ReconcileResult> {
    this.#verifications.forget(metadata.id);
    this.#unreached.delete(metadata.id);
    this.#corrections.forget(metadata.id);
    this.#deletions.forget(metadata.id);
    if (metadata.deletedAt !== undefined) await task.removeFinalizer(removeResources);
    return done;
  }

  /** What runs goes on; the current revision is applied when the agent is back, which is told by its Cluster. */
  async #waitForAgent(work: Work): Promise<ReconcileResult> {
    if (work.placement.metadata.deletedAt === undefined && (await this.#isApplied(work))) return done;
    const { metadata, status: known } = work.cluster;
    const { message } = offlineError(metadata.name, known.agent?.lastSeenAt);
    await writeStatus(work, (status) => ({
      ...status,
      ...conditionsOf(work, status, {
        Applied: { status: "Unknown", reason: "WaitingForAgent", message },
      }),
    }));
    return done;
  }

  async #refuse(work: Work): Promise<ReconcileResult> {
    await writeStatus(work, (status) => ({
      ...status,
      ...conditionsOf(work, status, { Applied: notGrantedStatement(work) }),
    }));
    // Grants of those who apply are followed; those of whoever removes may be somebody else's.
    return work.placement.metadata.deletedAt === undefined ? done : requeueAfter(retryFailedMs);
  }

  async #isApplied(work: Work): Promise<boolean> {
    const { status } = work.placement;
    return (
      isTrue(work.placement, "Applied") && status.applied === inputsOf(work, await this.#workloadOf(work))
    );
  }

  async #workloadOf({ placement, cluster }: Work): Promise<Workload> {
    return workloadIn(cluster, placement.spec, await this.#contents.read(placement.spec.revision));
  }

  #withEngine<T>(
    { instance, cluster, task }: Work,
    identity: Identity,
    use: (engine: WorkloadEngine) => Promise<T>,
  ): Promise<T> {
    const { id, name } = instance.metadata;
    const { metrics } = this.#options;
    const onAnswer = (verb: string, status: number): void => metrics.answered(verb, status);
    const engineUse = { cluster, identity, instance: { id, name }, fence: task.fence, onAnswer };
    return withEngine(this.#options, engineUse, use);
  }
}

function wasApplied({ status }: Placement): boolean {
  return status.revision !== undefined || status.resources.length > 0;
}

function soonest(result: ReconcileResult, limitMs: number): ReconcileResult {
  return requeueAfter(result.kind === "done" ? limitMs : Math.min(result.delayMs, limitMs));
}

/** A revision whose content is not kept any more has no hooks that could run. */
function orGone(error: unknown): undefined {
  if (!hasCode(error, "NotFound")) throw error;
}

/** What a cluster has refused passes by no report. */
function waitsForReports({ objects }: EngineResult): boolean {
  const waits = objects.some(({ reason }) => reason === "WaitingForHealth" || reason === "HookRunning");
  return waits && !objects.some(({ state }) => state === "failed");
}
