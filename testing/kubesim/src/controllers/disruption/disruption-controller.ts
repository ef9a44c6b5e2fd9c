import type { SimOwnerReference } from "../../store/sim-api.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { Pod } from "../kinds/pod.ts";
import type { PodDisruptionBudget } from "../kinds/policy.ts";
import type { Deployment, ReplicaSet, StatefulSet } from "../kinds/workloads.ts";
import { matchesSelector } from "../label-selector.ts";
import { keyOf, type Change, type Index } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf } from "../owner-references.ts";
import { isFinished } from "../pods/pod-state.ts";
import { disruptionStatus, evictionTimeoutMs } from "./disruption-status.ts";

/** Keeps the books of every PodDisruptionBudget: how many of its pods are healthy, and how many may go. */
export class DisruptionController {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #budgetsByNamespace: Index<PodDisruptionBudget>;

  constructor(context: ControllerContext) {
    const { cluster, loop } = context;
    this.#context = context;
    this.#queue = loop.queue("disruption", (key) => this.#reconcile(key));
    this.#budgetsByNamespace = cluster.disruptionBudgets.index(({ metadata }) => [metadata.namespace ?? ""]);
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.disruptionBudgets.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.pods.onChange((change) => this.#podChanged(change));
    cluster.deployments.onChange((change) => this.#ownerChanged(change));
    cluster.replicaSets.onChange((change) => this.#ownerChanged(change));
    cluster.statefulSets.onChange((change) => this.#ownerChanged(change));
    for (const budget of cluster.disruptionBudgets.list()) this.#queue.add(keyOf(budget));
  }

  #podChanged({ object, previous }: Change<Pod>): void {
    for (const budget of this.#budgetsByNamespace.get(object.metadata.namespace ?? "")) {
      const concerns = (pod: Pod | undefined): boolean =>
        pod !== undefined && matchesSelector(budget.spec.selector, pod.metadata.labels);
      if (concerns(object) || concerns(previous)) this.#queue.add(keyOf(budget));
    }
  }

  #ownerChanged({ object, previous }: Change<Deployment | ReplicaSet | StatefulSet>): void {
    if (object.spec.replicas === previous?.spec.replicas) return;
    const { namespace = "" } = object.metadata;
    for (const budget of this.#budgetsByNamespace.get(namespace)) this.#queue.add(keyOf(budget));
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const budget = cluster.disruptionBudgets.byKey(key);
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return;
    const pods = [...cluster.pods.list(budget.metadata.namespace)].filter(
      (pod) => !isFinished(pod) && matchesSelector(budget.spec.selector, pod.metadata.labels),
    );
    const status = disruptionStatus(budget, { pods, wanted: this.#wantedPods(pods) }, clock.now());
    cluster.disruptionBudgets.updateStatus({ ...budget, status });
    if (status.disruptedPods !== undefined) this.#queue.addAfter(key, evictionTimeoutMs);
  }

  /** How many pods the controllers of some pods want, each counted once. Pods without a controller count for nothing. */
  #wantedPods(pods: readonly Pod[]): number {
    const wanted = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      const scale = owner === undefined ? undefined : this.#scaleOf(pod.metadata.namespace, owner);
      if (scale !== undefined) wanted.set(scale.uid, scale.replicas);
    }
    return [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  #scaleOf(
    namespace: string | undefined,
    { kind, name }: SimOwnerReference,
  ): { uid: string; replicas: number } | undefined {
    const { deployments, replicaSets, statefulSets } = this.#context.cluster;
    if (kind === "ReplicaSet") {
      const set = replicaSets.get(namespace, name);
      const owner = set && controllerOf(set);
      if (set === undefined || owner?.kind === "Deployment") {
        return owner && this.#scaleOf(namespace, owner);
      }
      return { uid: set.metadata.uid, replicas: set.spec.replicas ?? 1 };
    }
    const scaled =
      kind === "Deployment"
        ? deployments.get(namespace, name)
        : kind === "StatefulSet"
          ? statefulSets.get(namespace, name)
          : undefined;
    return scaled && { uid: scaled.metadata.uid, replicas: scaled.spec.replicas ?? 1 };
  }
}
