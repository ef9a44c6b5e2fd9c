import type { Random } from "@bowline/core";

import type { EventRecorder } from "../controllers/events/event-recorder.ts";
import type { Container, Pod } from "../controllers/kinds/pod.ts";
import type { SimApi } from "../store/sim-api.ts";
import { behaviourOf, type Behaviours } from "./behaviour.ts";
import { containerId, imageId } from "./container-identity.ts";
import type { ContainerHost } from "./container-host.ts";
import { containerPlan, type ContainerPlan } from "./container-plan.ts";
import type { KubeletSettings } from "./kubelet-settings.ts";
import { existsIn, missingEnvironment, missingMount } from "./pod-inputs.ts";
import type { PodHost } from "./pod-life.ts";
import type { SimNode } from "./sim-node.ts";

const firstMountRetryMs = 500;
const lastMountRetryMs = 122_000;

/** What the pods of one node share. */
export interface PodSurroundings {
  readonly api: SimApi;
  readonly node: SimNode;
  readonly events: EventRecorder;
  readonly behaviours: Behaviours;
  readonly settings: KubeletSettings;
  readonly random: Random;
}

/** A pod's place on its node. A class and no closures: there are tens of thousands of them. */
export class HostedPod implements PodHost {
  readonly around: PodSurroundings;
  /** The pod as the API last showed it. */
  pod: Pod;

  constructor(around: PodSurroundings, pod: Pod) {
    this.around = around;
    this.pod = pod;
  }

  get hostIp(): string {
    return this.around.node.hostIp;
  }

  allocateIp(): string | undefined {
    return this.pod.spec.hostNetwork === true ? this.hostIp : this.around.node.addresses.allocate();
  }

  releaseIp(ip: string): void {
    if (ip !== this.hostIp) this.around.node.addresses.release(ip);
  }

  missingMount(): string | undefined {
    return missingMount(this.pod, existsIn(this.around.api, this.pod.metadata.namespace));
  }

  mountRetryMs(attempt: number): number {
    return Math.min(firstMountRetryMs * 2 ** attempt, lastMountRetryMs);
  }

  container(container: Container, isInit: boolean): ContainerHost {
    return new HostedContainer(this, container, isInit);
  }

  event(type: "Normal" | "Warning", reason: string, message: string, fieldPath?: string): void {
    if (type === "Normal") this.around.events.normal(this.pod, reason, message, fieldPath);
    else this.around.events.warning(this.pod, reason, message, fieldPath);
  }
}

class HostedContainer implements ContainerHost {
  readonly #pod: HostedPod;
  readonly #container: Container;
  readonly #isInit: boolean;

  constructor(pod: HostedPod, container: Container, isInit: boolean) {
    this.#pod = pod;
    this.#container = container;
    this.#isInit = isInit;
  }

  get settings(): KubeletSettings {
    return this.#pod.around.settings;
  }

  plan(): ContainerPlan {
    const { behaviours, settings } = this.#pod.around;
    const behaviour = behaviourOf(this.#container, this.#isInit, behaviours.of(this.#pod.pod));
    return containerPlan(this.#container, behaviour, settings.honourProbeDelays);
  }

  restarts(exitCode: number): boolean {
    const policy = this.#pod.pod.spec.restartPolicy ?? "Always";
    if (this.#isInit || policy === "OnFailure") return exitCode !== 0 && policy !== "Never";
    return policy === "Always";
  }

  missingInput(): string | undefined {
    const { api } = this.#pod.around;
    return missingEnvironment(this.#container, existsIn(api, this.#pod.pod.metadata.namespace));
  }

  hasImage(image: string): boolean {
    return this.#pod.around.node.hasImage(image);
  }

  keepImage(image: string): void {
    this.#pod.around.node.keepImage(image);
  }

  imageId(image: string): string {
    return imageId(image);
  }

  newContainerId(): string {
    return containerId(this.#pod.around.random);
  }

  podIp(): string {
    return this.#pod.pod.status?.podIP ?? "";
  }

  podTitle(): string {
    const { name, namespace, uid } = this.#pod.pod.metadata;
    return `${name}_${namespace ?? ""}(${uid})`;
  }

  event(type: "Normal" | "Warning", reason: string, message: string): void {
    const list = this.#isInit ? "initContainers" : "containers";
    this.#pod.event(type, reason, message, `spec.${list}{${this.#container.name}}`);
  }
}
