import { SimStatusError } from "../../store/sim-status-error.ts";
import { claimOwned } from "../claim-owned.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Pod } from "../kinds/pod.ts";
import type { ReplicaSet } from "../kinds/workloads.ts";
import { matchesSelector } from "../label-selector.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf } from "../owner-references.ts";
import { rankForDeletion } from "../pods/deletion-ranking.ts";
import { podFromTemplate } from "../pods/pod-template.ts";
import { isActive, nextAvailabilityMs } from "../pods/pod-state.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

/** At most this many pods are made or deleted in one go; the rest follows when those have been seen. */
const burst = 500;

/** Keeps as many pods of a template as a ReplicaSet asks for. */
export class ReplicaSetController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "replicaset-controller" });
    this.#queue = loop.queue("replicaset", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.replicaSets.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.pods.onChange((change) => this.#podChanged(change));
    for (const replicaSet of cluster.replicaSets.list()) this.#queue.add(keyOf(replicaSet));
  }

  #podChanged({ type, object, previous }: Change<Pod>): void {
    const owner = controllerOf(object);
    if (owner?.kind === "ReplicaSet") this.#queue.add(`${object.metadata.namespace ?? ""}/${owner.name}`);
    const former = previous === undefined ? undefined : controllerOf(previous);
    if (former?.kind === "ReplicaSet" && former.uid !== owner?.uid) {
      this.#queue.add(`${object.metadata.namespace ?? ""}/${former.name}`);
    }
    if (owner === undefined && type !== "DELETED") this.#offerOrphan(object);
  }

  #offerOrphan(pod: Pod): void {
    if (pod.metadata.labels === undefined) return;
    for (const replicaSet of this.#context.cluster.replicaSets.list(pod.metadata.namespace)) {
      if (matchesSelector(replicaSet.spec.selector, pod.metadata.labels)) this.#queue.add(keyOf(replicaSet));
    }
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const replicaSet = cluster.replicaSets.byKey(key);
    if (replicaSet === undefined) return;
    const claimable = { resource: cluster.pods, byOwner: cluster.podsByOwner };
    const pods = claimOwned(replicaSet, replicaSet.spec.selector, claimable).filter(isActive);
    let failure: SimStatusError | undefined;
    if (replicaSet.metadata.deletionTimestamp === undefined) failure = this.#scale(replicaSet, pods);
    this.#writeStatus(key, failure);
    const nextMs = nextAvailabilityMs(pods, replicaSet.spec.minReadySeconds ?? 0, clock.now());
    if (nextMs !== undefined) this.#queue.addAfter(key, nextMs);
    if (failure !== undefined) throw failure;
  }

  #scale(replicaSet: ReplicaSet, pods: readonly Pod[]): SimStatusError | undefined {
    const missing = (replicaSet.spec.replicas ?? 1) - pods.length;
    if (missing < 0) {
      this.#deletePods(replicaSet, pods, Math.min(-missing, burst));
      return undefined;
    }
    try {
      for (let made = 0; made < Math.min(missing, burst); made++) this.#createPod(replicaSet);
    } catch (error) {
      if (error instanceof SimStatusError) return error;
      throw error;
    }
    return undefined;
  }

  #createPod(replicaSet: ReplicaSet): void {
    try {
      const pod = this.#context.cluster.pods.create(podFromTemplate(replicaSet, replicaSet.spec.template));
      this.#events.normal(replicaSet, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (error instanceof SimStatusError) {
        this.#events.warning(replicaSet, "FailedCreate", `Error creating: ${error.message}`);
      }
      throw error;
    }
  }

  #deletePods(replicaSet: ReplicaSet, pods: readonly Pod[], count: number): void {
    const related = this.#countRelatedByNode(replicaSet);
    const ranked = rankForDeletion(pods, (pod) => related.get(pod.spec.nodeName ?? "") ?? 0);
    for (const pod of ranked.slice(0, count)) {
      this.#context.cluster.pods.delete(pod);
      this.#events.normal(replicaSet, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
    }
  }

  /** Pods of all ReplicaSets of the same Deployment are siblings. */
  #countRelatedByNode(replicaSet: ReplicaSet): Map<string, number> {
    const { replicaSetsByOwner, podsByOwner } = this.#context.cluster;
    const owner = controllerOf(replicaSet);
    const siblings = owner === undefined ? [replicaSet] : replicaSetsByOwner.get(owner.uid);
    const counts = new Map<string, number>();
    for (const sibling of siblings) {
      for (const { spec } of podsByOwner.get(sibling.metadata.uid)) {
        if (spec.nodeName !== undefined) counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1);
      }
    }
    return counts;
  }

  #writeStatus(key: string, failure: SimStatusError | undefined): void {
    const { cluster, clock } = this.#context;
    const replicaSet = cluster.replicaSets.byKey(key);
    if (replicaSet === undefined) return;
    const pods = cluster.podsByOwner.get(replicaSet.metadata.uid).filter(isActive);
    const status = replicaSetStatus(replicaSet, pods, failure?.message, clock.now());
    cluster.replicaSets.updateStatus({ ...replicaSet, status });
  }
}
