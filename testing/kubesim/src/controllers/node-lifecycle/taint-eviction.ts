import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Taint } from "../kinds/node.ts";
import type { Pod, Toleration } from "../kinds/pod.ts";
import { keyOf } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { tolerates } from "../scheduler/taints.ts";
import { parseTimestamp } from "../timestamps.ts";

/** Deletes pods from nodes with `NoExecute` taints, once their tolerations have run out. */
export class TaintEviction {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "taint-eviction-controller" });
    this.#queue = loop.queue("taint-eviction", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.nodes.onChange(({ object, previous }) => {
      if (object.spec?.taints !== previous?.spec?.taints) this.#queuePods(object.metadata.name);
    });
    cluster.pods.onChange(({ type, object, previous }) => {
      const { nodeName } = object.spec;
      if (type === "DELETED" || nodeName === undefined || nodeName === previous?.spec.nodeName) return;
      if (this.#evictingTaints(nodeName).length > 0) this.#queue.add(keyOf(object));
    });
    for (const node of cluster.nodes.list()) this.#queuePods(node.metadata.name);
  }

  #queuePods(nodeName: string): void {
    if (this.#evictingTaints(nodeName).length === 0) return;
    for (const pod of this.#context.cluster.podsByNode.get(nodeName)) this.#queue.add(keyOf(pod));
  }

  #evictingTaints(nodeName: string): Taint[] {
    const taints = this.#context.cluster.nodes.get(undefined, nodeName)?.spec?.taints ?? [];
    return taints.filter(({ effect }) => effect === "NoExecute");
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const pod = cluster.pods.byKey(key);
    if (pod?.spec.nodeName === undefined || isTerminating(pod)) return;
    const times = this.#evictingTaints(pod.spec.nodeName).map((taint) => this.#evictionMs(pod, taint));
    const evictMs = Math.min(...times);
    if (!Number.isFinite(evictMs)) return;
    if (evictMs > clock.now()) {
      this.#queue.addAfter(key, evictMs - clock.now());
      return;
    }
    this.#events.normal(pod, "TaintManagerEviction", `Marking for deletion Pod ${key}`);
    cluster.pods.delete(pod);
  }

  /** When a taint drives a pod away: never if it is tolerated for good. */
  #evictionMs(pod: Pod, taint: Taint): number {
    const nowMs = this.#context.clock.now();
    const tolerations = (pod.spec.tolerations ?? []).filter((each) => tolerates(each, taint));
    if (tolerations.length === 0) return nowMs;
    const fromMs = parseTimestamp(taint.timeAdded) ?? nowMs;
    return Math.min(...tolerations.map((each) => this.#endMs(each, fromMs)));
  }

  #endMs({ tolerationSeconds }: Toleration, fromMs: number): number {
    if (tolerationSeconds === undefined) return Number.POSITIVE_INFINITY;
    // Every pod is given this toleration; a test that has no five minutes shortens it for all.
    if (tolerationSeconds === defaultTolerationSeconds) return fromMs + this.#context.evictionMs;
    return fromMs + tolerationSeconds * 1000;
  }
}

const defaultTolerationSeconds = 300;
