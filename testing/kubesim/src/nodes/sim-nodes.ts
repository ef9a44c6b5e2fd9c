import { BowlineError } from "@bowline/core";

import type { Node } from "../controllers/kinds/node.ts";
import type { Pod } from "../controllers/kinds/pod.ts";
import { Resource } from "../controllers/loop/resource.ts";
import { controllerOf } from "../controllers/owner-references.ts";
import type { EventLog } from "../controllers/events/event-log.ts";
import { EventRecorder } from "../controllers/events/event-recorder.ts";
import { isTerminating } from "../controllers/pods/pod-state.ts";
import type { SimApi, SimObject } from "../store/sim-api.ts";
import type { Behaviours, PodBehaviour, PodMatcher } from "./behaviour.ts";
import type { ContainerLog } from "./container-log.ts";
import type { ContainerExit } from "./container-plan.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { formatIpv4, Ipv4Block, parseIpv4 } from "./ipv4-block.ts";
import { logKey, type Kubelet } from "./kubelet.ts";
import { nodeObject } from "./node-object.ts";
import { SimNode, type SimNodeOptions } from "./sim-node.ts";

/** A pod, by its object or its name. */
export type PodName = { readonly namespace: string; readonly name: string };

export interface SimNodesParts {
  readonly api: SimApi;
  readonly events: EventLog;
  readonly kubelet: Kubelet;
  readonly heartbeats: Heartbeats;
  readonly behaviours: Behaviours;
  readonly machines: Map<string, SimNode>;
}

const firstHostIp = parseIpv4("172.18.0.2");
const firstPodIp = parseIpv4("10.128.0.0");
const smallestBlock = 256;

/** The simulated nodes of a cluster and everything that can be made to happen to them. */
export class SimNodes {
  readonly #parts: SimNodesParts;
  readonly #nodes: Resource<Node>;
  readonly #pods: Resource<Pod>;
  #added = 0;
  #nextBlock = firstPodIp;

  constructor(parts: SimNodesParts) {
    this.#parts = parts;
    this.#nodes = new Resource<Node>(parts.api, "nodes");
    this.#pods = new Resource<Pod>(parts.api, "pods");
  }

  get names(): readonly string[] {
    return [...this.#parts.machines.keys()];
  }

  /** Starts a machine that joins the cluster; returns its name. */
  add(options: SimNodeOptions = {}): string {
    const machine = this.#newMachine(options);
    this.#parts.machines.set(machine.name, machine);
    const node = this.#nodes.get(undefined, machine.name) ?? this.#nodes.create(nodeObject(machine));
    this.#parts.heartbeats.start(machine);
    this.#announce(machine, node);
    this.#parts.kubelet.syncNode(machine.name);
    return machine.name;
  }

  /** Takes a machine out for good, with its Node. Its pods are gone with it. */
  remove(name: string): void {
    this.#machine(name).isUp = false;
    this.#parts.machines.delete(name);
    this.#parts.heartbeats.forget(name);
    const node = this.#nodes.get(undefined, name);
    if (node !== undefined) this.#nodes.delete(node);
  }

  /** The machine stops: no heartbeats, and its pods do nothing more. The cluster notices after its grace period. */
  fail(name: string): void {
    const machine = this.#machine(name);
    machine.isUp = false;
    this.#parts.heartbeats.fail(machine);
  }

  /** A failed machine comes back, with its containers still there. */
  recover(name: string): void {
    const machine = this.#machine(name);
    if (machine.isUp) return;
    machine.isUp = true;
    this.#parts.heartbeats.resume(machine);
    this.#parts.kubelet.syncNode(name);
  }

  cordon(name: string): void {
    this.#setUnschedulable(name, true);
  }

  uncordon(name: string): void {
    this.#setUnschedulable(name, false);
  }

  /** Cordons a node and deletes its pods, except those of DaemonSets, as `kubectl drain --ignore-daemonsets` does. */
  drain(name: string): void {
    this.cordon(name);
    for (const pod of this.#parts.kubelet.podsOn(name)) {
      if (controllerOf(pod)?.kind !== "DaemonSet" && !isTerminating(pod)) this.#pods.delete(pod);
    }
  }

  /**
   * From now on the pods that match behave so, running ones and new ones; the latest rule wins. The returned function
   * takes the rule back.
   */
  behaviour(matcher: PodMatcher, behaviour: PodBehaviour): () => void {
    const { behaviours, kubelet } = this.#parts;
    const remove = behaviours.add(matcher, behaviour);
    kubelet.syncMatching(matcher);
    return () => {
      remove();
      kubelet.syncMatching(matcher);
    };
  }

  /** Ends the containers of a pod, or one of them, from outside. The restart policy says what happens then. */
  kill(
    pod: PodName,
    options: {
      readonly container?: string;
      readonly exitCode?: number;
      readonly reason?: ContainerExit["reason"];
    } = {},
  ): void {
    const exit = { code: options.exitCode ?? 137, reason: options.reason ?? "Error" };
    this.#parts.kubelet.kill(this.#pod(pod), exit, options.container);
  }

  containerLogs(pod: SimObject, container: string): ContainerLog {
    return this.#parts.kubelet.logs.of(`${pod.metadata.uid}/${container}`);
  }

  /** Adds a line to what a container wrote. */
  writeLog(pod: PodName, container: string, text: string): void {
    this.#parts.kubelet.logs.write(logKey(this.#pod(pod), container), text);
  }

  close(): void {
    this.#nodes.close();
    this.#pods.close();
  }

  #newMachine(options: SimNodeOptions): SimNode {
    const index = this.#added++;
    const name = options.name ?? `node-${index + 1}`;
    const size = 2 ** Math.ceil(Math.log2(Math.max(smallestBlock, 2 * (options.pods ?? 0))));
    const block = new Ipv4Block(this.#nextBlock, size);
    this.#nextBlock += size;
    return new SimNode(name, formatIpv4(firstHostIp + index), block, options);
  }

  #announce(machine: SimNode, node: Node): void {
    const recorder = new EventRecorder(this.#parts.events, { component: "kubelet", host: machine.name });
    recorder.normal(node, "Starting", "Starting kubelet.");
    for (const state of [
      "NodeHasSufficientMemory",
      "NodeHasNoDiskPressure",
      "NodeHasSufficientPID",
      "NodeReady",
    ]) {
      recorder.normal(node, state, `Node ${machine.name} status is now: ${state}`);
    }
  }

  #setUnschedulable(name: string, unschedulable: boolean): void {
    const node = this.#nodes.get(undefined, this.#machine(name).name);
    if (node === undefined) return;
    const { unschedulable: _, ...spec } = node.spec ?? {};
    this.#nodes.update({ ...node, spec: unschedulable ? { ...spec, unschedulable } : spec });
  }

  #machine(name: string): SimNode {
    const machine = this.#parts.machines.get(name);
    if (machine !== undefined) return machine;
    throw new BowlineError("NotFound", `There is no simulated node named "${name}".`, { details: { name } });
  }

  #pod({ namespace, name }: PodName): Pod {
    const pod = this.#pods.get(namespace, name);
    if (pod !== undefined) return pod;
    throw new BowlineError("NotFound", `There is no pod "${namespace}/${name}".`, {
      details: { namespace, name },
    });
  }
}
