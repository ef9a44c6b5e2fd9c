import { findCondition, withCondition } from "../conditions.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Lease, Node } from "../kinds/node.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { isReady } from "../pods/pod-state.ts";
import { timestamp } from "../timestamps.ts";
import { lastSeenMs, silentConditions, wantedTaints } from "./node-health.ts";

const leaseNamespace = "kube-node-lease";
const usualLeaseSeconds = 40;

/** Notices nodes that fall silent or cannot work, and marks them so that pods avoid and leave them. */
export class NodeLifecycleController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #graceMs: number;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#graceMs = context.nodeGraceMs;
    this.#events = new EventRecorder(context.events, { component: "node-controller" });
    this.#queue = loop.queue("node-lifecycle", (name) => this.#reconcile(name));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.nodes.onChange((change) => this.#nodeChanged(change));
    cluster.leases.onChange(({ object, previous }) => {
      const isHeartbeat = object.spec?.leaseDurationSeconds === previous?.spec?.leaseDurationSeconds;
      if (!isHeartbeat) this.#queue.add(object.metadata.name);
    });
    for (const node of cluster.nodes.list()) this.#queue.add(keyOf(node));
  }

  #nodeChanged({ type, object }: Change<Node>): void {
    this.#queue.add(keyOf(object));
    if (type !== "ADDED") return;
    const { name } = object.metadata;
    this.#events.normal(
      object,
      "RegisteredNode",
      `Node ${name} event: Registered Node ${name} in Controller`,
    );
  }

  #reconcile(name: string): void {
    const { cluster, clock } = this.#context;
    const found = cluster.nodes.get(undefined, name);
    if (found === undefined) return;
    const node = this.#checkPulse(found);
    const taints = wantedTaints(node, clock.now());
    if (taints.length > 0 || node.spec?.taints !== undefined) {
      const { taints: _, ...spec } = node.spec ?? {};
      cluster.nodes.update({ ...node, spec: taints.length === 0 ? spec : { ...spec, taints } });
    }
  }

  /** No polling: the next look is when the last sign of life is too old, if no newer one comes. */
  #checkPulse(node: Node): Node {
    const { cluster, clock } = this.#context;
    const { name } = node.metadata;
    const lease = cluster.leases.get(leaseNamespace, name);
    const silentInMs = lastSeenMs(node, lease) + this.#patienceMs(lease) - clock.now();
    if (silentInMs > 0) {
      this.#queue.addAfter(name, silentInMs);
      return node;
    }
    const wasReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
    const status = { ...node.status, conditions: silentConditions(node, clock.now()) };
    const silent = cluster.nodes.updateStatus({ ...node, status });
    if (wasReady) this.#announceNotReady(silent);
    return silent;
  }

  /** Nodes whose leases last longer than usual announced that they seldom speak. */
  #patienceMs(lease: Lease | undefined): number {
    const seconds = lease?.spec?.leaseDurationSeconds ?? 0;
    return seconds > usualLeaseSeconds ? seconds * 1000 : this.#graceMs;
  }

  #announceNotReady(node: Node): void {
    const { cluster, clock } = this.#context;
    const { name } = node.metadata;
    this.#events.normal(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    for (const pod of cluster.podsByNode.get(name)) {
      if (!isReady(pod)) continue;
      const notReady = {
        type: "Ready",
        status: "False",
        lastTransitionTime: timestamp(clock.now()),
      } as const;
      const conditions = withCondition(pod.status?.conditions ?? [], {
        ...findCondition(pod.status?.conditions, "Ready"),
        ...notReady,
      });
      cluster.pods.updateStatus({ ...pod, status: { ...pod.status, conditions } });
      this.#events.warning(pod, "NodeNotReady", "Node is not ready");
    }
  }
}
