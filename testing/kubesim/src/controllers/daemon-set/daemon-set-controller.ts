import { SimStatusError } from "../../store/sim-status-error.ts";
import { claimOwned } from "../claim-owned.ts";
import type { ControllerContext } from "../controller-context.ts";
import { ControllerRevisions, revisionHashLabel } from "../controller-revisions.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Node } from "../kinds/node.ts";
import type { Pod } from "../kinds/pod.ts";
import type { DaemonSet } from "../kinds/workloads.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf } from "../owner-references.ts";
import { nextAvailabilityMs } from "../pods/pod-state.ts";
import { daemonPod } from "./daemon-pod.ts";
import {
  daemonPlaces,
  daemonStatus,
  placesToFill,
  podsToRemove,
  podsToUpdate,
  type DaemonPlace,
} from "./daemon-set-plan.ts";

/** Keeps one pod on every node that fits. */
export class DaemonSetController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #revisions: ControllerRevisions;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "daemonset-controller" });
    this.#revisions = new ControllerRevisions(context, revisionHashLabel);
    this.#queue = loop.queue("daemonset", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.daemonSets.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.pods.onChange((change) => this.#podChanged(change));
    cluster.nodes.onChange((change) => {
      if (changesPlacement(change)) this.#queueAll();
    });
    this.#queueAll();
  }

  #queueAll(): void {
    for (const set of this.#context.cluster.daemonSets.list()) this.#queue.add(keyOf(set));
  }

  #podChanged({ object, previous }: Change<Pod>): void {
    for (const owner of [controllerOf(object), previous && controllerOf(previous)]) {
      if (owner?.kind === "DaemonSet") this.#queue.add(`${object.metadata.namespace ?? ""}/${owner.name}`);
    }
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const set = cluster.daemonSets.byKey(key);
    if (set === undefined) return;
    const claimable = { resource: cluster.pods, byOwner: cluster.podsByOwner };
    claimOwned(set, set.spec.selector, claimable);
    if (set.metadata.deletionTimestamp !== undefined) return;
    const revision = this.#revisions.current(set);
    const places = this.#places(set);
    const removed = podsToRemove(places);
    const outdated = podsToUpdate(set, places, clock.now()).filter((pod) => !removed.includes(pod));
    for (const pod of [...removed, ...outdated]) this.#deletePod(set, pod);
    for (const node of placesToFill(places)) this.#createPod(set, node);
    cluster.daemonSets.updateStatus({ ...set, status: daemonStatus(set, this.#places(set), clock.now()) });
    this.#revisions.forgetOld(set, this.#usedRevisions(set, revision.metadata.name));
    const pods = cluster.podsByOwner.get(set.metadata.uid);
    const nextMs = nextAvailabilityMs(pods, set.spec.minReadySeconds ?? 0, clock.now());
    if (nextMs !== undefined) this.#queue.addAfter(key, nextMs);
  }

  #places(set: DaemonSet): DaemonPlace[] {
    const { nodes, podsByOwner } = this.#context.cluster;
    return daemonPlaces(set, nodes.list(), podsByOwner.get(set.metadata.uid));
  }

  #usedRevisions(set: DaemonSet, current: string): Set<string> {
    const pods = this.#context.cluster.podsByOwner.get(set.metadata.uid);
    const used = pods.map((pod) => `${set.metadata.name}-${pod.metadata.labels?.[revisionHashLabel] ?? ""}`);
    return new Set([...used, current]);
  }

  #createPod(set: DaemonSet, node: string): void {
    try {
      const pod = this.#context.cluster.pods.create(daemonPod(set, node));
      this.#events.normal(set, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (error instanceof SimStatusError) {
        this.#events.warning(set, "FailedCreate", `Error creating: ${error.message}`);
      }
      throw error;
    }
  }

  #deletePod(set: DaemonSet, pod: Pod): void {
    if (pod.status?.phase === "Failed") {
      const { namespace = "", name } = pod.metadata;
      const message = `Found failed daemon pod ${namespace}/${name} on node ${pod.spec.nodeName ?? ""}, will try to kill it`;
      this.#events.warning(set, "FailedDaemonPod", message);
    }
    this.#context.cluster.pods.delete(pod);
    this.#events.normal(set, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
}

/** Heartbeats of nodes move no daemons. */
function changesPlacement({ type, object, previous }: Change<Node>): boolean {
  if (type !== "MODIFIED" || previous === undefined) return true;
  return object.spec !== previous.spec || object.metadata.labels !== previous.metadata.labels;
}
