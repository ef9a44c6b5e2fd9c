import { asRecord, isRecord, parseQuantity } from "@bowline/core";
import { ValueInterner, type FieldMask, type KubeObject } from "@bowline/kube";

import type { ObjectPlace } from "../observe/kube-message.ts";
import { podNumbers, type PodNumbers } from "./pod-numbers.ts";

interface NodeNumbers {
  readonly isReady: boolean;
  readonly isUnschedulable: boolean;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly pods: number;
}

export const nodeFields: FieldMask = {
  spec: { unschedulable: true },
  status: {
    conditions: { type: true, status: true },
    allocatable: { cpu: true, memory: true, pods: true },
  },
};

export type View = Readonly<Record<string, number>>;

/** Of more namespaces than this, those that come later are counted together. */
const maxNamespaces = 2_000;

/** Numbers about a cluster as a whole, kept up to date object by object. */
export class ClusterViews {
  readonly #pods = new Map<string, PodNumbers>();
  readonly #nodes = new Map<string, NodeNumbers>();
  /** Most pods have the numbers of another one of their owner. */
  readonly #interner = new ValueInterner();

  setPod({ uid, namespace }: ObjectPlace, object: KubeObject): void {
    const { numbers } = this.#interner.keep({ numbers: podNumbers(namespace, object) });
    this.#pods.set(uid, numbers);
  }

  setNode({ uid }: ObjectPlace, object: KubeObject): void {
    this.#nodes.set(uid, nodeNumbers(object));
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
    this.#nodes.delete(uid);
  }

  /** Everything but what is present of a kind is gone. */
  keepPods(present: ReadonlySet<string>): void {
    for (const uid of this.#pods.keys()) if (!present.has(uid)) this.#pods.delete(uid);
  }

  keepNodes(present: ReadonlySet<string>): void {
    for (const uid of this.#nodes.keys()) if (!present.has(uid)) this.#nodes.delete(uid);
  }

  /** By name. */
  ofNodes(): Record<string, View> {
    const nodes = [...this.#nodes.values()];
    const sum = (read: (node: NodeNumbers) => number): number =>
      nodes.reduce((total, node) => total + read(node), 0);
    return {
      nodes: {
        count: nodes.length,
        ready: sum(({ isReady }) => Number(isReady)),
        unschedulable: sum(({ isUnschedulable }) => Number(isUnschedulable)),
      },
      capacity: {
        cpuMillis: sum(({ cpuMillis }) => cpuMillis),
        memoryBytes: sum(({ memoryBytes }) => memoryBytes),
        pods: sum(({ pods }) => pods),
      },
    };
  }

  /** By name. */
  ofPods(): Record<string, View> {
    const phases: Record<string, number> = {};
    const byNamespace: Record<string, number> = {};
    const restarts: Record<string, number> = {};
    const requests = { cpuMillis: 0, memoryBytes: 0, pods: 0 };
    const images = new Set<string>();
    const namespaces = new Set<string>();
    for (const pod of this.#pods.values()) {
      if (namespaces.size < maxNamespaces) namespaces.add(pod.namespace);
      const namespace = namespaces.has(pod.namespace) ? pod.namespace : "";
      add(phases, pod.phase, 1);
      add(byNamespace, `${namespace}/${pod.phase}`, 1);
      if (pod.restarts > 0) add(restarts, namespace, pod.restarts);
      requests.cpuMillis += pod.cpuMillis;
      requests.memoryBytes += pod.memoryBytes;
      if (pod.phase !== "Succeeded" && pod.phase !== "Failed") requests.pods += 1;
      for (const image of pod.images) images.add(image);
    }
    return {
      "pods-by-phase": phases,
      "pods-by-namespace": byNamespace,
      restarts,
      requests,
      images: { count: images.size },
    };
  }
}

function add(numbers: Record<string, number>, name: string, amount: number): void {
  numbers[name] = (numbers[name] ?? 0) + amount;
}

function nodeNumbers(object: KubeObject): NodeNumbers {
  const status = asRecord(object["status"]);
  const allocatable = asRecord(status["allocatable"]);
  const conditions: readonly unknown[] = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const amount = (name: string): number => Math.max(0, parseQuantity(allocatable[name]) ?? 0);
  return {
    isReady: conditions.some(
      (each) => isRecord(each) && each["type"] === "Ready" && each["status"] === "True",
    ),
    isUnschedulable: asRecord(object["spec"])["unschedulable"] === true,
    cpuMillis: Math.floor(amount("cpu") * 1000),
    memoryBytes: Math.floor(amount("memory")),
    pods: Math.floor(amount("pods")),
  };
}
