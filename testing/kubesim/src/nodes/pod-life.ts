import type { Container, Pod, PodStatus } from "../controllers/kinds/pod.ts";
import type { ContainerHost } from "./container-host.ts";
import { ContainerLife } from "./container-life.ts";
import type { ContainerExit } from "./container-plan.ts";
import { podStatus } from "./pod-status.ts";

/** What a pod needs of the node it runs on. */
export interface PodHost {
  readonly hostIp: string;
  /** Undefined when the node has no address left. */
  allocateIp(): string | undefined;
  releaseIp(ip: string): void;
  /** Why the pod's volumes cannot be mounted now, if so. */
  missingMount(): string | undefined;
  mountRetryMs(attempt: number): number;
  container(container: Container, isInit: boolean): ContainerHost;
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** One pod on a simulated node, from the moment the kubelet takes it until it is gone. */
export class PodLife {
  readonly #host: PodHost;
  readonly #startedMs: number;
  readonly #inits: readonly ContainerLife[];
  readonly #apps: readonly ContainerLife[];
  #podIp: string | undefined;
  #mountAttempts = 0;
  #mountRetryMs: number | undefined;
  #stopAtMs: number | undefined;
  #stopped = false;

  constructor(pod: Pod, host: PodHost, nowMs: number) {
    this.#host = host;
    this.#startedMs = nowMs;
    this.#inits = (pod.spec.initContainers ?? []).map(
      (each) => new ContainerLife(each, true, host.container(each, true)),
    );
    this.#apps = pod.spec.containers.map(
      (each) => new ContainerLife(each, false, host.container(each, false)),
    );
  }

  get podIp(): string | undefined {
    return this.#podIp;
  }

  /** All containers have ended because the pod is leaving. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  get containers(): readonly ContainerLife[] {
    return [...this.#inits, ...this.#apps];
  }

  /** Moves on as far as the time allows; says when there is more to do. */
  advance(nowMs: number): number | undefined {
    if (this.#stopAtMs !== undefined) return this.#finishStop(nowMs);
    if (!this.#mount(nowMs)) return this.#mountRetryMs;
    const wakeMs: (number | undefined)[] = [];
    for (const init of this.#inits) {
      init.begin(nowMs);
      wakeMs.push(init.advance(nowMs));
      if (init.finalExitCode !== 0) return earliest(wakeMs);
    }
    for (const app of this.#apps) {
      app.begin(nowMs);
      wakeMs.push(app.advance(nowMs));
    }
    return earliest(wakeMs);
  }

  /** Orders all containers to stop; they end `stopDelayMs` later. */
  stop(nowMs: number, stopDelayMs: number): void {
    if (this.#stopAtMs !== undefined) return;
    this.#stopAtMs = nowMs + stopDelayMs;
    for (const container of this.containers) {
      if (container.isRunning) container.announceStop();
    }
  }

  replan(nowMs: number): void {
    for (const container of this.containers) container.replan(nowMs);
  }

  changeSpec(pod: Pod, nowMs: number): void {
    const specs = new Map(
      [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((each) => [each.name, each]),
    );
    for (const container of this.containers) {
      const spec = specs.get(container.name);
      if (spec !== undefined) container.changeSpec(spec, nowMs);
    }
  }

  /** Ends running containers from outside, as an operator with a shell on the node would. */
  kill(exit: ContainerExit, containerName: string | undefined, nowMs: number): void {
    for (const container of this.containers) {
      if (containerName === undefined || container.name === containerName) container.end(exit, nowMs);
    }
  }

  status(pod: Pod, nowMs: number): PodStatus {
    const waitingReason = this.#inits.length > 0 ? "PodInitializing" : "ContainerCreating";
    return podStatus(
      pod,
      {
        hostIp: this.#host.hostIp,
        ...(this.#podIp === undefined || this.containers.every(({ isNew }) => isNew)
          ? {}
          : { podIp: this.#podIp }),
        startedMs: this.#startedMs,
        inits: this.#inits.map((init) => init.status("PodInitializing")),
        apps: this.#apps.map((app) => app.status(waitingReason)),
      },
      nowMs,
    );
  }

  close(): void {
    if (this.#podIp !== undefined) this.#host.releaseIp(this.#podIp);
    this.#podIp = undefined;
  }

  #finishStop(nowMs: number): number | undefined {
    if (this.#stopAtMs !== undefined && nowMs < this.#stopAtMs) return this.#stopAtMs;
    for (const container of this.containers) container.stop(nowMs);
    this.#stopped = true;
    return undefined;
  }

  /** The network comes up when the volumes are there, before the first container. */
  #mount(nowMs: number): boolean {
    if (this.#podIp !== undefined) return true;
    if (this.#mountRetryMs !== undefined && nowMs < this.#mountRetryMs) return false;
    const missing = this.#host.missingMount();
    if (missing === undefined) this.#podIp = this.#host.allocateIp();
    if (this.#podIp !== undefined) return true;
    if (missing !== undefined) this.#host.event("Warning", "FailedMount", missing);
    else this.#host.event("Warning", "FailedCreatePodSandBox", noAddress);
    this.#mountRetryMs = nowMs + this.#host.mountRetryMs(this.#mountAttempts++);
    return false;
  }
}

const noAddress =
  'Failed to create pod sandbox: plugin type="host-local" failed (add): no IP addresses available in range set';

function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce(
    (first, each) => (each === undefined || (first ?? each) < each ? first : each),
    undefined,
  );
}
