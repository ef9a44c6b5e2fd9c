import type { Random } from "@bowline/core";

import { nodeKeys } from "../controllers/cluster.ts";
import type { EventLog } from "../controllers/events/event-log.ts";
import { EventRecorder } from "../controllers/events/event-recorder.ts";
import type { Pod } from "../controllers/kinds/pod.ts";
import { keyOf, Resource, type Change, type Index } from "../controllers/loop/resource.ts";
import type { WorkLoop, WorkQueue } from "../controllers/loop/work-loop.ts";
import { isFinished, isTerminating } from "../controllers/pods/pod-state.ts";
import type { SimApi } from "../store/sim-api.ts";
import type { Behaviours, PodBehaviour } from "./behaviour.ts";
import { matchesPod, type PodMatcher } from "./behaviour.ts";
import type { ContainerLife } from "./container-life.ts";
import type { ContainerExit } from "./container-plan.ts";
import { ContainerLogs } from "./container-logs.ts";
import { HostedPod, type PodSurroundings } from "./hosted-pod.ts";
import type { KubeletSettings } from "./kubelet-settings.ts";
import { PodLife } from "./pod-life.ts";
import type { SimNode } from "./sim-node.ts";

export interface KubeletOptions {
  readonly api: SimApi;
  readonly loop: WorkLoop;
  readonly events: EventLog;
  readonly random: Random;
  readonly behaviours: Behaviours;
  readonly settings: KubeletSettings;
  readonly node: (name: string) => SimNode | undefined;
}

interface Hosted {
  readonly host: HostedPod;
  readonly life: PodLife;
  behaviour: PodBehaviour;
}

/** Runs the pods of all simulated nodes: what is bound to a node comes to life there, and reports how it fares. */
export class Kubelet {
  readonly logs: ContainerLogs;
  readonly #options: KubeletOptions;
  readonly #pods: Resource<Pod>;
  readonly #podsByNode: Index<Pod>;
  readonly #queue: WorkQueue;
  readonly #hosted = new Map<string, Hosted>();
  readonly #surroundings = new WeakMap<SimNode, PodSurroundings>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#pods = new Resource<Pod>(options.api, "pods");
    this.#podsByNode = this.#pods.index(nodeKeys);
    this.#queue = options.loop.queue("kubelet", (key) => this.#sync(key));
    this.#pods.onChange((change) => this.#podChanged(change));
    this.logs = new ContainerLogs({
      loop: options.loop,
      find: (key) => this.#findContainer(key),
      keptLines: options.settings.keptLogLines,
    });
  }

  /** Takes up all pods of a node: it is new, or it is back. */
  syncNode(name: string): void {
    for (const pod of this.#podsByNode.get(name)) this.#queue.add(keyOf(pod));
  }

  podsOn(name: string): Pod[] {
    return this.#podsByNode.get(name);
  }

  /** Behaviours changed: whoever now behaves differently is looked at. */
  syncMatching(matcher: PodMatcher): void {
    for (const { host } of this.#hosted.values()) {
      if (matchesPod(matcher, host.pod)) this.#queue.add(keyOf(host.pod));
    }
  }

  kill(pod: Pod, exit: ContainerExit, containerName?: string): void {
    const hosted = this.#hosted.get(pod.metadata.uid);
    if (hosted === undefined) return;
    hosted.life.kill(exit, containerName, this.#options.loop.clock.now());
    this.#queue.add(keyOf(pod));
  }

  close(): void {
    this.#pods.close();
    this.#hosted.clear();
  }

  #podChanged({ type, object, previous }: Change<Pod>): void {
    if (object.spec.nodeName === undefined) return;
    if (type === "DELETED") this.#forget(object);
    else if (previous === undefined || asksForSomething(object, previous)) this.#queue.add(keyOf(object));
  }

  #forget(pod: Pod): void {
    const hosted = this.#hosted.get(pod.metadata.uid);
    if (hosted === undefined) return;
    for (const container of hosted.life.containers) this.logs.forget(logKey(pod, container.name));
    this.#hosted.delete(pod.metadata.uid);
    hosted.life.close();
  }

  #sync(key: string): void {
    const pod = this.#pods.byKey(key);
    const node = pod?.spec.nodeName === undefined ? undefined : this.#options.node(pod.spec.nodeName);
    if (pod === undefined || node?.isUp !== true) return;
    const hosted = this.#hosted.get(pod.metadata.uid) ?? this.#take(pod, node);
    if (hosted === undefined) return;
    hosted.host.pod = pod;
    const nowMs = this.#options.loop.clock.now();
    if (isTerminating(pod)) hosted.life.stop(nowMs, this.#stopDelayMs(pod));
    else this.#takeUpChanges(hosted, pod, nowMs);
    const nextMs = hosted.life.advance(nowMs);
    this.#report(hosted, pod, nowMs);
    if (nextMs !== undefined) this.#queue.addAfter(key, Math.max(1, nextMs - nowMs));
  }

  /** A pod that is over needs no life, only a way out. */
  #take(pod: Pod, node: SimNode): Hosted | undefined {
    if (isFinished(pod)) {
      if (isTerminating(pod)) this.#pods.delete(pod, { gracePeriodSeconds: 0 });
      return undefined;
    }
    const host = new HostedPod(this.#surroundingsOf(node), pod);
    const life = new PodLife(pod, host, this.#options.loop.clock.now());
    const hosted = { host, life, behaviour: this.#options.behaviours.of(pod) };
    this.#hosted.set(pod.metadata.uid, hosted);
    return hosted;
  }

  #surroundingsOf(node: SimNode): PodSurroundings {
    const known = this.#surroundings.get(node);
    if (known !== undefined) return known;
    const { api, behaviours, settings, random, events } = this.#options;
    const recorder = new EventRecorder(events, { component: "kubelet", host: node.name });
    const surroundings = { api, node, behaviours, settings, random, events: recorder };
    this.#surroundings.set(node, surroundings);
    return surroundings;
  }

  #takeUpChanges(hosted: Hosted, pod: Pod, nowMs: number): void {
    hosted.life.changeSpec(pod, nowMs);
    const behaviour = this.#options.behaviours.of(pod);
    if (sameBehaviour(behaviour, hosted.behaviour)) return;
    hosted.behaviour = behaviour;
    hosted.life.replan(nowMs);
  }

  #report(hosted: Hosted, pod: Pod, nowMs: number): void {
    const status = hosted.life.status(pod, nowMs);
    const reported = this.#pods.updateStatus({ ...pod, status });
    for (const container of hosted.life.containers) this.logs.changed(logKey(pod, container.name));
    // With finalizers left the pod stays, without grace; then others have to let it go.
    const isWaiting =
      reported.metadata.deletionGracePeriodSeconds === 0 && reported.metadata.finalizers !== undefined;
    if (hosted.life.isStopped && !isWaiting) this.#pods.delete(reported, { gracePeriodSeconds: 0 });
  }

  #stopDelayMs(pod: Pod): number {
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    return Math.min(graceMs, this.#options.settings.stopDelayMs);
  }

  #findContainer(key: string): ContainerLife | undefined {
    const slash = key.indexOf("/");
    const hosted = this.#hosted.get(key.slice(0, slash));
    return hosted?.life.containers.find(({ name }) => name === key.slice(slash + 1));
  }
}

export function logKey(pod: Pod, containerName: string): string {
  return `${pod.metadata.uid}/${containerName}`;
}

/** The kubelet's own reports come back as changes; they ask for nothing. */
function asksForSomething(pod: Pod, previous: Pod): boolean {
  return (
    pod.spec !== previous.spec ||
    pod.metadata.annotations !== previous.metadata.annotations ||
    pod.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    pod.metadata.deletionGracePeriodSeconds !== previous.metadata.deletionGracePeriodSeconds
  );
}

function sameBehaviour(a: PodBehaviour, b: PodBehaviour): boolean {
  return (
    a.kind === b.kind &&
    a.container === b.container &&
    a.exitCode === b.exitCode &&
    a.runSeconds === b.runSeconds &&
    a.startSeconds === b.startSeconds
  );
}
