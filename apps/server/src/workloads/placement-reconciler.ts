import {
  Cluster,
  WorkloadDefinition,
  WorkloadInstance,
  type ObjectOf,
  type WorkloadPlacement,
} from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { BowlineError, LruMap, hasCode, type Clock, type Random } from "@bowline/core";
import { offlineError } from "@bowline/gateway";
import { readRevision, type RevisionContent } from "@bowline/manifests";
import { done, findCondition, requeueAfter, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";
import type {
  ReadReports,
  ReconcileResult as EngineResult,
  Workload,
  WorkloadEngine,
} from "@bowline/workloads";

import type { ObjectTask } from "../controllers/object-task.ts";
import { watched, workloadForbidden, type AgentRights } from "./agent-rights.ts";
import type { ClusterClients } from "./cluster-clients.ts";
import { Corrections, type Drift } from "./corrections.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import { deleteHooksLeftMs, skippedHooksEvent } from "./delete-hooks.ts";
import { DeletionWaits } from "./deletion-waits.ts";
import { clusterKey, withEngine, workloadIn } from "./engine-in-cluster.ts";
import { actingUsers, lostStatement, notGrantedStatement, removalStatement } from "./grant-statements.ts";
import { removeResources } from "./instance-reconciler.ts";
import { placementConditions } from "./placement-conditions.ts";
import { inputsOf } from "./placement-inputs.ts";
import {
  appliedStatement,
  contestedStatement,
  resourceText,
  resourcesAfter,
  type PlacementStatus,
} from "./placement-status.ts";
import type { Statement } from "./resolve-workload.ts";
import { Verifications } from "./verifications.ts";
import { workloadParts, type WorkloadResources } from "./workload-resource.ts";

type Placement = ObjectOf<typeof WorkloadPlacement>;
type PlacementTask = ObjectTask<typeof WorkloadPlacement>;

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

/** One placement and what belongs to it, as it was when the work began. */
export interface PlacedWork {
  readonly placement: Placement;
  readonly instance: WorkloadInstance;
  readonly cluster: Cluster;
}

interface Work extends PlacedWork {
  readonly task: PlacementTask;
}

interface RunResult {
  readonly workload: Workload;
  readonly inputs: string;
  readonly result: EngineResult;
  readonly drift: Drift;
  /** What is to be told instead of that everything is applied. */
  readonly lost: Statement | undefined;
}

const noDrift: Drift = { due: [], contested: new Map(), againMs: Infinity };

/** How soon it is tried again what a cluster refused: somebody may have mended it there, which nobody tells. */
const retryFailedMs = 3 * 60_000;
/** How soon reports are looked at again that something waits for: they lead here, unless they say what was believed before. */
const reportsMs = 15_000;
/** How soon it is tried again what an agent could not be told that is said to be connected: each time later, up to the last. */
const reconnectMs = { first: 250, last: 5_000 } as const;
/** So often it is tried again before anybody is told that the agent is away. */
const quietRetries = 2;
/** Contents of revisions that are kept in memory, and how long one of them may be. */
const maxKept = 128;
const maxKeptLength = 64 * 1024;

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
  /** By revision, which never changes. */
  readonly #contents = new LruMap<string, RevisionContent>(maxKept);
  /** How often in a row the agent could not be reached, by id of the placement. */
  readonly #unreached = new Map<string, number>();

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
    this.#corrections = new Corrections(options.clock);
    this.#verifications = new Verifications(options);
    this.#deletions = new DeletionWaits(options.clock);
  }

  async reconcile(placement: Placement, task: PlacementTask): Promise<ReconcileResult> {
    const { objects } = this.#options.store;
    const instance = await objects.get(WorkloadInstance, placement.spec.instance);
    const cluster = await objects.get(Cluster, placement.spec.cluster);
    // A cluster that leaves Bowline keeps what runs in it; nobody can reach it from here afterwards.
    if (instance === undefined || cluster === undefined || cluster.metadata.deletedAt !== undefined) {
      return this.#forget(placement, task);
    }
    const work: Work = { placement, instance, cluster, task };
    try {
      const result = await this.#reconcile(work);
      this.#unreached.delete(placement.metadata.id);
      return result;
    } catch (error) {
      if (!hasCode(error, "AgentOffline", "TunnelLost")) throw error;
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
      // Nobody waits for an agent to remove what was never there.
      return isConnected ? this.#leave(work) : this.#forget(placement, task);
    }
    if (!isConnected) return this.#waitForAgent(work);
    const identity = await this.#identity(work);
    if (identity === undefined) return this.#refuse(work);
    return placement.metadata.deletedAt === undefined
      ? this.#keep(work, identity)
      : this.#remove(work, identity);
  }

  async #hasNothing({ instance, cluster }: Work): Promise<boolean> {
    const key = { instanceId: instance.metadata.id, clusterId: cluster.metadata.id };
    return (await this.#options.store.inventory.list(key, { limit: 1 })).items.length === 0;
  }

  /** Returns undefined when nobody in whose name this could be done may reach the cluster now. */
  async #identity(work: Work): Promise<Identity | undefined> {
    const { clients } = this.#options;
    for (const user of actingUsers(work)) {
      const identity = await clients.identityOf(user);
      if (identity !== undefined && clients.isGranted(identity, work.cluster.metadata.name)) return identity;
    }
    return undefined;
  }

  async #keep(work: Work, identity: Identity): Promise<ReconcileResult> {
    const { placement, task } = work;
    const workload = await this.#workloadOf(work);
    const inputs = inputsOf(work, workload);
    const isApplied = placement.status.applied === inputs;
    const lost = isApplied ? this.#lostStatement(work, identity) : undefined;
    const isTold = lost === undefined ? isTrue(placement, "Applied") : hasReason(placement, lost.reason);
    const isDone = isApplied && isTold;
    const drift = placement.spec.drift === "correct" ? this.#corrections.driftOf(placement) : noDrift;
    const verify = isDone && this.#verifications.isDue(placement);
    if (isDone && drift.due.length === 0 && !verify) {
      const status = await this.#writeDrift(work, drift);
      const againMs = Math.min(
        await this.#tellCluster(work, status),
        this.#verifications.untilDueMs(placement.metadata.id),
      );
      return requeueAfter(Math.min(againMs, drift.againMs, this.#untilExpiry(work, identity)));
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
    const status = await this.#writeResult(work, { workload, inputs, result, drift, lost });
    if (result.isApplied && placement.status.revision !== workload.revision) await this.#tellArrival(work);
    const rightsMs = await this.#tellCluster(work, status);
    if (result.retry !== undefined) throw result.retry;
    const untilMs = waitsForReports(result) ? reportsMs : retryFailedMs;
    const againMs = isTrueIn(status, "Applied")
      ? this.#verifications.untilDueMs(placement.metadata.id)
      : Math.min(untilMs, deletedMs);
    return requeueAfter(Math.min(againMs, rightsMs, drift.againMs, this.#untilExpiry(work, identity)));
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

  /** A grant that ends by its own time changes nothing that anybody would be told of. */
  #untilExpiry({ cluster }: Work, identity: Identity): number {
    const { clients } = this.#options;
    const { name } = cluster.metadata;
    return clients.isGranted(identity, name) ? clients.untilExpiryMs(identity, name) : 0;
  }

  /** What is applied and could not be any more, because the grant for it is gone and another one is left. */
  #lostStatement({ placement, cluster }: Work, identity: Identity): Statement | undefined {
    const { clients } = this.#options;
    const { name } = cluster.metadata;
    const { resources } = placement.status;
    return lostStatement(resources, { user: identity.user, cluster: name }, (namespace) =>
      clients.reaches(identity, name, namespace),
    );
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
      await this.#write(work, (status) => ({
        ...status,
        ...resourcesAfter(status.resources, result.objects),
        ...this.#conditions(work, status, {
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
    const status = await this.#write(work, (now) => ({
      ...now,
      ...resourcesAfter(now.resources, result.objects),
      ...this.#conditions(work, now, { Applied: appliedStatement({ ...result, ...placement.spec }) }),
    }));
    await this.#tellCluster(work, status);
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
    await this.#write(work, (status) => ({
      ...status,
      ...this.#conditions(work, status, {
        Applied: { status: "Unknown", reason: "WaitingForAgent", message },
      }),
    }));
    return done;
  }

  async #refuse(work: Work): Promise<ReconcileResult> {
    await this.#write(work, (status) => ({
      ...status,
      ...this.#conditions(work, status, { Applied: notGrantedStatement(work) }),
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
    return workloadIn(cluster, placement.spec, await this.#contentOf(placement.spec.revision));
  }

  /** A placement is looked at whenever something is reported about it, and its content is encrypted and compressed. */
  async #contentOf(id: string): Promise<RevisionContent> {
    const known = this.#contents.get(id);
    if (known !== undefined) return known;
    const content = await this.#options.store.revisions.content(id);
    if (content === undefined) {
      throw new BowlineError("NotFound", `The content of revision ${id} is not kept any more.`);
    }
    const read = readRevision({ id, content });
    if (content.length <= maxKeptLength) this.#contents.set(id, read);
    return read;
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

  async #writeResult(
    work: Work,
    { workload, inputs, result, drift, lost }: RunResult,
  ): Promise<PlacementStatus> {
    const { revision } = workload;
    const isWhole = result.isApplied && result.isPruned && result.retry === undefined;
    return this.#write(work, (status) => ({
      ...status,
      ...(result.isApplied ? { revision } : {}),
      ...(isWhole ? { applied: inputs } : {}),
      ...resourcesAfter(status.resources, result.objects),
      ...this.#conditions(work, status, {
        Applied: lost ?? contestedStatement(drift) ?? appliedStatement({ ...result, ...work.placement.spec }),
      }),
    }));
  }

  /** Fights are told; nothing else is new. */
  async #writeDrift(work: Work, drift: Drift): Promise<PlacementStatus> {
    const contested = contestedStatement(drift);
    if (contested === undefined) return work.placement.status;
    return this.#write(work, (status) => ({
      ...status,
      resources: status.resources.map((resource) =>
        drift.contested.has(resourceText(resource)) ? { ...resource, state: "contested" as const } : resource,
      ),
      ...this.#conditions(work, status, { Applied: contested }),
    }));
  }

  #conditions(
    { placement, task }: Work,
    { conditions }: PlacementStatus,
    statements: Parameters<typeof placementConditions>[1],
  ): Pick<PlacementStatus, "conditions"> {
    const { generation } = placement.metadata;
    return { conditions: placementConditions(conditions, statements, { generation, nowMs: task.nowMs() }) };
  }

  /** Resolves to the status as it was written last. */
  async #write(
    { task, placement }: Work,
    change: (status: PlacementStatus) => PlacementStatus,
  ): Promise<PlacementStatus> {
    let written = placement.status;
    await task.updateStatus((status) => {
      written = change(status);
      return written;
    });
    return written;
  }

  /** Resolves to when to look again: what the agent may not do is told, until somebody has allowed it. */
  async #tellCluster(work: Work, status: PlacementStatus): Promise<number> {
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
      await this.#write(work, (now) => ({ ...now, ...this.#conditions(work, now, { Watched }) }));
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

/** A revision whose content is not kept any more has no hooks that could run. */
function orGone(error: unknown): undefined {
  if (!hasCode(error, "NotFound")) throw error;
}

/** What a cluster has refused passes by no report. */
function waitsForReports({ objects }: EngineResult): boolean {
  const waits = objects.some(({ reason }) => reason === "WaitingForHealth" || reason === "HookRunning");
  return waits && !objects.some(({ state }) => state === "failed");
}

function hasReason({ metadata, status }: Placement, reason: string): boolean {
  const applied = findCondition(status.conditions, "Applied");
  return applied?.reason === reason && applied.observedGeneration === metadata.generation;
}

function isTrue({ metadata, status }: Placement, type: string): boolean {
  const condition = findCondition(status.conditions, type);
  return isTrueIn(status, type) && condition?.observedGeneration === metadata.generation;
}

function isTrueIn({ conditions }: PlacementStatus, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}
