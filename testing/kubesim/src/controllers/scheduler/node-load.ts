import type { Node } from "../kinds/node.ts";
import type { Pod } from "../kinds/pod.ts";
import { controllerOf } from "../owner-references.ts";
import { amountOf } from "../quantity.ts";
import { untoleratedTaint } from "./taints.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { assumedRequests, podRequests, type PodRequests } from "./pod-requests.ts";

/** One node as the scheduler sees it: what it has, and what its pods already ask for. */
export class NodeLoad {
  node: Node;
  #cpuLeft = 0;
  #memoryLeft = 0;
  #podsLeft = 0;
  #cpu = 0;
  #memory = 0;
  #assumedCpu = 0;
  #assumedMemory = 0;
  readonly #podsByOwner = new Map<string, number>();
  readonly #pods = new Map<string, Pod>();

  constructor(node: Node) {
    this.node = node;
    this.setNode(node);
  }

  setNode(node: Node): void {
    const before = { cpu: this.#cpu, memory: this.#memory };
    const allocatable = node.status?.allocatable ?? node.status?.capacity ?? {};
    this.node = node;
    this.#cpu = amountOf(allocatable["cpu"]);
    this.#memory = amountOf(allocatable["memory"]);
    this.#cpuLeft += this.#cpu - before.cpu;
    this.#memoryLeft += this.#memory - before.memory;
    this.#podsLeft = amountOf(allocatable["pods"]) - this.#pods.size;
  }

  add(pod: Pod): void {
    if (this.#pods.has(pod.metadata.uid)) return;
    this.#pods.set(pod.metadata.uid, pod);
    this.#account(pod, 1);
  }

  remove(uid: string): boolean {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return false;
    this.#pods.delete(uid);
    this.#account(pod, -1);
    return true;
  }

  /** Why a pod cannot run here, in the words of the event; nothing when it can. */
  refusals(pod: Pod, requests: PodRequests): readonly string[] {
    const { spec } = this.node;
    const { tolerations } = pod.spec;
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
    if (spec?.unschedulable === true && untoleratedTaint([cordon], tolerations, ["NoSchedule"])) {
      return ["node(s) were unschedulable"];
    }
    const taint = untoleratedTaint(spec?.taints, tolerations, ["NoSchedule", "NoExecute"]);
    if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
    if (!matchesNodeAffinity(pod.spec, this.node))
      return ["node(s) didn't match Pod's node affinity/selector"];
    return this.#shortages(requests);
  }

  /** Lower is better: few siblings first, then much room. */
  score(pod: Pod, requests: PodRequests): number {
    const owner = controllerOf(pod);
    const siblings = owner === undefined ? 0 : (this.#podsByOwner.get(owner.uid) ?? 0);
    const { cpu, memory } = assumedRequests(requests);
    const cpuShare = this.#cpu === 0 ? 1 : (this.#assumedCpu + cpu) / this.#cpu;
    const memoryShare = this.#memory === 0 ? 1 : (this.#assumedMemory + memory) / this.#memory;
    return siblings + (cpuShare + memoryShare) / 2;
  }

  #shortages(requests: PodRequests): readonly string[] {
    const fits =
      this.#podsLeft >= 1 && requests.cpu <= this.#cpuLeft + rounding && requests.memory <= this.#memoryLeft;
    if (fits) return [];
    return [
      ...(this.#podsLeft < 1 ? ["Too many pods"] : []),
      ...(requests.cpu > this.#cpuLeft + rounding ? ["Insufficient cpu"] : []),
      ...(requests.memory > this.#memoryLeft ? ["Insufficient memory"] : []),
    ];
  }

  #account(pod: Pod, sign: 1 | -1): void {
    const requests = podRequests(pod.spec);
    const assumed = assumedRequests(requests);
    this.#podsLeft -= sign;
    this.#cpuLeft -= sign * requests.cpu;
    this.#memoryLeft -= sign * requests.memory;
    this.#assumedCpu += sign * assumed.cpu;
    this.#assumedMemory += sign * assumed.memory;
    const owner = controllerOf(pod);
    if (owner === undefined) return;
    const siblings = (this.#podsByOwner.get(owner.uid) ?? 0) + sign;
    if (siblings === 0) this.#podsByOwner.delete(owner.uid);
    else this.#podsByOwner.set(owner.uid, siblings);
  }
}

/** Sums of decimal fractions of a core drift by less than this. */
const rounding = 1e-9;
