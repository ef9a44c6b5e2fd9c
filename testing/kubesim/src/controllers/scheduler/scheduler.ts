import { isDeepStrictEqual } from "node:util";

import { withCondition } from "../conditions.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Condition } from "../kinds/meta.ts";
import type { Node } from "../kinds/node.ts";
import type { Pod } from "../kinds/pod.ts";
import type { PersistentVolumeClaim } from "../kinds/storage.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { timestamp } from "../timestamps.ts";
import { pinnedNode } from "./node-affinity.ts";
import { NodeLoad } from "./node-load.ts";
import { podRequests } from "./pod-requests.ts";
import { unschedulableMessage } from "./unschedulable-message.ts";

/** Enough nodes to choose from: more are not looked at, so that a large cluster costs no more than a small one. */
const enoughNodes = 100;
const firstBackoffMs = 1_000;
const lastBackoffMs = 10_000;

interface Unschedulable {
  readonly attempts: number;
  readonly notBeforeMs: number;
}

/** Finds a node for every pod that has none. */
export class Scheduler {
  readonly #context: ControllerContext;
  readonly #bound: EventRecorder;
  readonly #failed: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #loads = new Map<string, NodeLoad>();
  #order: NodeLoad[] = [];
  /** Where the last search ended; the next goes on from there, so that all nodes get their share. */
  #start = 0;
  readonly #unschedulable = new Map<string, Unschedulable>();

  constructor(context: ControllerContext) {
    const { loop, events } = context;
    const component = "default-scheduler";
    this.#context = context;
    const host = `${component}-control-plane`;
    this.#bound = new EventRecorder(events, { component, host, action: "Binding" });
    this.#failed = new EventRecorder(events, { component, host, action: "Scheduling" });
    this.#queue = loop.queue("scheduler", (key) => this.#schedule(key));
  }

  start(): void {
    const { cluster } = this.#context;
    for (const node of cluster.nodes.list()) this.#setNode(node);
    for (const pod of cluster.pods.list()) this.#podChanged({ type: "ADDED", object: pod });
    cluster.nodes.onChange((change) => this.#nodeChanged(change));
    cluster.pods.onChange((change) => this.#podChanged(change));
    cluster.claims.onChange(({ object }) => {
      if (object.status?.phase === "Bound") this.#retryUnschedulable();
    });
  }

  #nodeChanged({ type, object, previous }: Change<Node>): void {
    if (type === "DELETED") this.#removeNode(object.metadata.name);
    else this.#setNode(object);
    if (type === "ADDED" || (previous !== undefined && offersMore(object, previous)))
      this.#retryUnschedulable();
  }

  #setNode(node: Node): void {
    const known = this.#loads.get(node.metadata.name);
    if (known !== undefined) {
      known.setNode(node);
      return;
    }
    const load = new NodeLoad(node);
    for (const pod of this.#context.cluster.podsByNode.get(node.metadata.name)) {
      if (!isFinished(pod)) load.add(pod);
    }
    this.#loads.set(node.metadata.name, load);
    this.#order.push(load);
  }

  #removeNode(name: string): void {
    const load = this.#loads.get(name);
    this.#loads.delete(name);
    this.#order = this.#order.filter((each) => each !== load);
  }

  #podChanged({ type, object, previous }: Change<Pod>): void {
    const { nodeName } = object.spec;
    if (nodeName === undefined) {
      const key = keyOf(object);
      const isNews = !this.#unschedulable.has(key) || !isDeepStrictEqual(previous?.spec, object.spec);
      if (type === "DELETED") this.#unschedulable.delete(key);
      else if (isNews) this.#queue.add(key);
      return;
    }
    const load = this.#loads.get(nodeName);
    if (type !== "DELETED" && !isFinished(object)) load?.add(object);
    else if (load?.remove(object.metadata.uid) === true) this.#retryUnschedulable();
  }

  #retryUnschedulable(): void {
    const nowMs = this.#context.clock.monotonicMs();
    for (const [key, { notBeforeMs }] of this.#unschedulable) this.#queue.addAfter(key, notBeforeMs - nowMs);
  }

  #schedule(key: string): void {
    const { pods } = this.#context.cluster;
    const pod = pods.byKey(key);
    const isOurs = (pod?.spec.schedulerName ?? "default-scheduler") === "default-scheduler";
    if (pod === undefined || pod.spec.nodeName !== undefined || isTerminating(pod) || !isOurs) {
      this.#unschedulable.delete(key);
      return;
    }
    const unbound = this.#unboundClaim(pod);
    const found = unbound ?? this.#findNode(pod);
    if (typeof found === "string") this.#refuse(key, pod, found);
    else this.#bind(key, pod, found.node.metadata.name);
  }

  /** The best node, or the sentence that says why there is none. */
  #findNode(pod: Pod): NodeLoad | string {
    const requests = podRequests(pod.spec);
    const refusals = new Map<string, number>();
    let best: NodeLoad | undefined;
    let bestScore = Number.POSITIVE_INFINITY;
    let equals = 0;
    let feasible = 0;
    const candidates = this.#candidates(pod);
    let looked = 0;
    for (; looked < candidates.length && feasible < enoughNodes; looked++) {
      const load = candidates[(this.#start + looked) % candidates.length];
      if (load === undefined) break;
      const reasons = load.refusals(pod, requests);
      for (const reason of reasons) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
      if (reasons.length > 0) continue;
      feasible += 1;
      const score = load.score(pod, requests);
      equals = score < bestScore ? 1 : equals + Number(score === bestScore);
      // Among equally good nodes chance decides, each with the same share.
      const isChosen = score < bestScore || (score === bestScore && this.#context.random() * equals < 1);
      if (isChosen) [best, bestScore] = [load, score];
    }
    if (candidates === this.#order && candidates.length > enoughNodes) {
      this.#start = (this.#start + looked) % candidates.length;
    }
    return best ?? this.#explain(candidates, refusals);
  }

  #candidates(pod: Pod): readonly NodeLoad[] {
    const pinned = pinnedNode(pod.spec);
    if (pinned === undefined) return this.#order;
    const load = this.#loads.get(pinned);
    return load === undefined ? [] : [load];
  }

  #explain(candidates: readonly NodeLoad[], refusals: Map<string, number>): string {
    const others = this.#order.length - candidates.length;
    if (others > 0) refusals.set("node(s) didn't match Pod's node affinity/selector", others);
    return unschedulableMessage(this.#order.length, refusals);
  }

  #unboundClaim(pod: Pod): string | undefined {
    const { claims } = this.#context.cluster;
    const { namespace } = pod.metadata;
    for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      const claim: PersistentVolumeClaim | undefined = claims.get(namespace, claimName);
      if (claim === undefined) {
        return `0/${this.#order.length} nodes are available: ${this.#order.length} persistentvolumeclaim "${claimName}" not found.`;
      }
      if (claim.status?.phase !== "Bound") {
        return `0/${this.#order.length} nodes are available: ${this.#order.length} pod has unbound immediate PersistentVolumeClaims.`;
      }
    }
    return undefined;
  }

  #bind(key: string, pod: Pod, nodeName: string): void {
    const { cluster, clock } = this.#context;
    this.#unschedulable.delete(key);
    const bound = cluster.pods.update({ ...pod, spec: { ...pod.spec, nodeName } });
    const scheduled: Condition = {
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.now()),
    };
    this.#writeCondition(bound, scheduled);
    const { namespace = "", name } = pod.metadata;
    this.#bound.normal(bound, "Scheduled", `Successfully assigned ${namespace}/${name} to ${nodeName}`);
  }

  #refuse(key: string, pod: Pod, message: string): void {
    const { clock } = this.#context;
    const attempts = (this.#unschedulable.get(key)?.attempts ?? 0) + 1;
    const backoffMs = Math.min(firstBackoffMs * 2 ** (attempts - 1), lastBackoffMs);
    this.#unschedulable.set(key, { attempts, notBeforeMs: clock.monotonicMs() + backoffMs });
    this.#writeCondition(pod, {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.now()),
      reason: "Unschedulable",
      message,
    });
    this.#failed.warning(pod, "FailedScheduling", message);
  }

  #writeCondition(pod: Pod, condition: Condition): void {
    const conditions = withCondition(pod.status?.conditions ?? [], condition);
    this.#context.cluster.pods.updateStatus({ ...pod, status: { ...pod.status, conditions } });
  }
}

/** Whether a change of a node can make room for a pod that found none. Heartbeats do not. */
function offersMore(node: Node, previous: Node): boolean {
  return (
    node.spec !== previous.spec ||
    node.metadata.labels !== previous.metadata.labels ||
    !isDeepStrictEqual(node.status?.allocatable, previous.status?.allocatable)
  );
}
