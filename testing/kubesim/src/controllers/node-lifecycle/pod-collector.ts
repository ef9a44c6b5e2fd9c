import type { ControllerContext } from "../controller-context.ts";
import type { WorkQueue } from "../loop/work-loop.ts";

/** How long a node may be missing before its pods are taken for lost. */
const quarantineMs = 40_000;

/** Deletes the pods of nodes that are gone: no kubelet will ever do it. */
export class PodCollector {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#queue = loop.queue("pod-collector", (nodeName) => this.#collect(nodeName));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.nodes.onChange(({ type, object }) => {
      if (type === "DELETED") this.#queue.addAfter(object.metadata.name, quarantineMs);
    });
    cluster.pods.onChange(({ object, previous }) =>
      this.#check(object.spec.nodeName, previous?.spec.nodeName),
    );
    for (const pod of cluster.pods.list()) this.#check(pod.spec.nodeName, undefined);
  }

  #check(nodeName: string | undefined, previous: string | undefined): void {
    if (nodeName === undefined || nodeName === previous) return;
    if (this.#context.cluster.nodes.get(undefined, nodeName) === undefined) {
      this.#queue.addAfter(nodeName, quarantineMs);
    }
  }

  #collect(nodeName: string): void {
    const { nodes, pods, podsByNode } = this.#context.cluster;
    if (nodes.get(undefined, nodeName) !== undefined) return;
    for (const pod of podsByNode.get(nodeName)) pods.delete(pod, { gracePeriodSeconds: 0 });
  }
}
