import { SimStatusError } from "../../store/sim-status-error.ts";
import { claimOwned } from "../claim-owned.ts";
import { findCondition } from "../conditions.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Pod } from "../kinds/pod.ts";
import type { Deployment, DeploymentStatus, ReplicaSet } from "../kinds/workloads.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf, isControlledBy } from "../owner-references.ts";
import { isFinished } from "../pods/pod-state.ts";
import { sameTemplate } from "../pods/pod-template.ts";
import {
  desiredReplicasOf,
  maxReplicasOf,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from "./deployment-annotations.ts";
import {
  countStatus,
  deadlineInMs,
  isComplete,
  newReplicaSetConditions,
  pauseConditions,
  rolloutStatus,
} from "./deployment-status.ts";
import { isRolling, maxSurge, replicasOf } from "./deployment-strategy.ts";
import { newReplicaSet, refreshed } from "./new-replica-set.ts";
import { allOf, groupReplicaSets, type ReplicaSetGroups } from "./replica-set-groups.ts";
import { newReplicaSetSize, rescale, shrinkOld, type Resize } from "./rollout-plan.ts";

/** Brings the pods of a Deployment from one template to the next, by way of ReplicaSets. */
export class DeploymentController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "deployment-controller" });
    this.#queue = loop.queue("deployment", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.deployments.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.replicaSets.onChange(({ object }) => this.#queueOwner(object));
    cluster.pods.onChange((change) => this.#podChanged(change));
    for (const deployment of cluster.deployments.list()) this.#queue.add(keyOf(deployment));
  }

  #queueOwner(replicaSet: ReplicaSet): void {
    const owner = controllerOf(replicaSet);
    if (owner?.kind === "Deployment") this.#queue.add(`${replicaSet.metadata.namespace ?? ""}/${owner.name}`);
  }

  /** Recreate waits for the last old pod to end; nothing else asks about single pods. */
  #podChanged({ type, object }: Change<Pod>): void {
    if (type !== "DELETED" && !isFinished(object)) return;
    const owner = controllerOf(object);
    if (owner?.kind !== "ReplicaSet") return;
    const replicaSet = this.#context.cluster.replicaSets.get(object.metadata.namespace, owner.name);
    if (replicaSet !== undefined) this.#queueOwner(replicaSet);
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const found = cluster.deployments.byKey(key);
    if (found === undefined) return;
    const claimable = { resource: cluster.replicaSets, byOwner: cluster.replicaSetsByOwner };
    claimOwned(found, found.spec.selector, claimable);
    if (found.metadata.deletionTimestamp !== undefined) {
      this.#writeStatus(found, countStatus(found, this.#groups(found), clock.now()));
      return;
    }
    const deployment = this.#notePause(found);
    if (deployment.spec.paused === true || this.#isRescaled(deployment)) this.#rescale(deployment);
    else if (isRolling(deployment)) this.#roll(deployment);
    else this.#recreate(deployment);
  }

  #notePause(deployment: Deployment): Deployment {
    const conditions = pauseConditions(deployment, this.#context.clock.now());
    return conditions === undefined
      ? deployment
      : this.#writeStatus(deployment, { ...deployment.status, conditions });
  }

  #isRescaled(deployment: Deployment): boolean {
    return allOf(this.#groups(deployment)).some((replicaSet) => {
      const desired = desiredReplicasOf(replicaSet);
      return replicasOf(replicaSet) > 0 && desired !== undefined && desired !== replicasOf(deployment);
    });
  }

  #rescale(found: Deployment): void {
    const deployment = this.#syncRevision(found);
    const groups = this.#groups(deployment);
    this.#resize(deployment, rescale(deployment, groups));
    this.#resize(deployment, allOf(this.#groups(deployment)).filter(isInUse).map(atItsSize));
    if (deployment.spec.paused === true) this.#forgetOldRevisions(deployment);
    this.#writeStatus(
      deployment,
      countStatus(deployment, this.#groups(deployment), this.#context.clock.now()),
    );
  }

  #roll(found: Deployment): void {
    const deployment = this.#ensureNewReplicaSet(found);
    const groups = this.#groups(deployment);
    const grown = this.#resizeNewest(deployment, groups);
    const shrunk = grown || this.#resize(deployment, shrinkOld(deployment, groups));
    if (!shrunk && isComplete(deployment, deployment.status ?? {})) this.#forgetOldRevisions(deployment);
    this.#writeRolloutStatus(deployment);
  }

  #recreate(found: Deployment): void {
    const groups = this.#groups(found);
    const shrunk = this.#resize(
      found,
      groups.old.filter(isInUse).map((replicaSet) => ({ replicaSet, replicas: 0 })),
    );
    if (shrunk || this.#hasRunningPods(groups.old)) {
      this.#writeRolloutStatus(this.#syncRevision(found));
      return;
    }
    const deployment = this.#ensureNewReplicaSet(found);
    this.#resizeNewest(deployment, this.#groups(deployment));
    if (isComplete(deployment, deployment.status ?? {})) this.#forgetOldRevisions(deployment);
    this.#writeRolloutStatus(deployment);
  }

  #groups(deployment: Deployment): ReplicaSetGroups {
    const { replicaSetsByOwner } = this.#context.cluster;
    return groupReplicaSets(deployment, replicaSetsByOwner.get(deployment.metadata.uid));
  }

  #hasRunningPods(replicaSets: readonly ReplicaSet[]): boolean {
    const { podsByOwner } = this.#context.cluster;
    return replicaSets.some((each) => podsByOwner.get(each.metadata.uid).some((pod) => !isFinished(pod)));
  }

  #ensureNewReplicaSet(deployment: Deployment): Deployment {
    const groups = this.#groups(deployment);
    return groups.newest === undefined
      ? this.#createNewReplicaSet(deployment, groups)
      : this.#syncRevision(deployment);
  }

  #createNewReplicaSet(deployment: Deployment, groups: ReplicaSetGroups): Deployment {
    const { cluster, clock } = this.#context;
    const revision = nextRevision(groups);
    const replicas = newReplicaSetSize(deployment, groups);
    const wanted = newReplicaSet(deployment, revision, replicas);
    const name = wanted.metadata.name ?? "";
    try {
      cluster.replicaSets.create(wanted);
    } catch (error) {
      this.#resolveCollision(deployment, name, error);
      return deployment;
    }
    if (replicas > 0) {
      this.#events.normal(deployment, "ScalingReplicaSet", `Scaled up replica set ${name} to ${replicas}`);
    }
    const numbered = this.#writeRevision(deployment, revision);
    const conditions = newReplicaSetConditions(numbered, "NewReplicaSetCreated", name, clock.now());
    return this.#writeStatus(numbered, { ...numbered.status, conditions });
  }

  /** Another ReplicaSet has the name: a new number goes into the hash, and the next try takes another name. */
  #resolveCollision(deployment: Deployment, name: string, error: unknown): void {
    if (!(error instanceof SimStatusError) || error.reason !== "AlreadyExists") throw error;
    const other = this.#context.cluster.replicaSets.get(deployment.metadata.namespace, name);
    const isOurs =
      other !== undefined &&
      isControlledBy(other, deployment) &&
      sameTemplate(other.spec.template, deployment.spec.template);
    if (isOurs) return;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    this.#writeStatus(deployment, { ...deployment.status, collisionCount });
    throw error;
  }

  /** A template that was used before comes back with the next number. */
  #syncRevision(deployment: Deployment): Deployment {
    const { cluster, clock } = this.#context;
    const groups = this.#groups(deployment);
    if (groups.newest === undefined) return deployment;
    const revision = nextRevision({ old: groups.old, newest: undefined });
    const newest = cluster.replicaSets.update(refreshed(deployment, groups.newest, revision));
    const numbered = this.#writeRevision(deployment, revisionOf(newest));
    if (findCondition(numbered.status?.conditions, "Progressing") !== undefined) return numbered;
    const { name } = newest.metadata;
    const conditions = newReplicaSetConditions(numbered, "FoundNewReplicaSet", name, clock.now());
    return this.#writeStatus(numbered, { ...numbered.status, conditions });
  }

  #writeRevision(deployment: Deployment, revision: number): Deployment {
    if (revisionOf(deployment) === revision) return deployment;
    const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: String(revision) };
    const metadata = { ...deployment.metadata, annotations };
    return this.#context.cluster.deployments.update({ ...deployment, metadata });
  }

  #resizeNewest(deployment: Deployment, groups: ReplicaSetGroups): boolean {
    if (groups.newest === undefined) return false;
    const replicas = newReplicaSetSize(deployment, groups);
    return this.#resize(deployment, [{ replicaSet: groups.newest, replicas }]);
  }

  /** Writes sizes, and the annotations that go with them; says whether any size changed. */
  #resize(deployment: Deployment, resizes: readonly Resize[]): boolean {
    let changed = false;
    for (const { replicaSet, replicas } of resizes) {
      const before = replicasOf(replicaSet);
      if (replicas === before && hasSizeAnnotations(deployment, replicaSet)) continue;
      const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) };
      this.#context.cluster.replicaSets.update({
        ...replicaSet,
        metadata: { ...replicaSet.metadata, annotations },
        spec: { ...replicaSet.spec, replicas },
      });
      if (replicas === before) continue;
      changed = true;
      const direction = replicas > before ? "up" : "down";
      const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} to ${replicas}`;
      this.#events.normal(deployment, "ScalingReplicaSet", message);
    }
    return changed;
  }

  #forgetOldRevisions(deployment: Deployment): void {
    const limit = deployment.spec.revisionHistoryLimit ?? 10;
    const old = this.#groups(deployment).old.filter((each) => each.metadata.deletionTimestamp === undefined);
    const excess = old
      .toSorted((a, b) => revisionOf(a) - revisionOf(b))
      .slice(0, Math.max(0, old.length - limit));
    for (const replicaSet of excess) {
      if (isInUse(replicaSet) || (replicaSet.status?.replicas ?? 0) > 0) continue;
      this.#context.cluster.replicaSets.delete(replicaSet);
    }
  }

  #writeRolloutStatus(deployment: Deployment): void {
    const nowMs = this.#context.clock.now();
    const status = rolloutStatus(deployment, this.#groups(deployment), nowMs);
    const written = this.#writeStatus(deployment, status);
    const deadlineMs = deadlineInMs(written, status, nowMs);
    if (deadlineMs !== undefined) this.#queue.addAfter(keyOf(deployment), deadlineMs);
  }

  #writeStatus(deployment: Deployment, status: DeploymentStatus): Deployment {
    return this.#context.cluster.deployments.updateStatus({ ...deployment, status });
  }
}

function nextRevision(groups: ReplicaSetGroups): number {
  return allOf(groups).reduce((highest, each) => Math.max(highest, revisionOf(each)), 0) + 1;
}

function isInUse(replicaSet: ReplicaSet): boolean {
  return replicasOf(replicaSet) > 0;
}

function atItsSize(replicaSet: ReplicaSet): Resize {
  return { replicaSet, replicas: replicasOf(replicaSet) };
}

function hasSizeAnnotations(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    desiredReplicasOf(replicaSet) === wanted && maxReplicasOf(replicaSet) === wanted + maxSurge(deployment)
  );
}
