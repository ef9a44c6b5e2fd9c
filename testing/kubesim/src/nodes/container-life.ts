import type {
  Container,
  ContainerState,
  ContainerStatus,
  TerminatedState,
} from "../controllers/kinds/pod.ts";
import { timestamp } from "../controllers/timestamps.ts";
import type { ContainerHost } from "./container-host.ts";
import { probeFailure, type ContainerExit } from "./container-plan.ts";
import { stageDueMs, stageState, type Pulling, type Running, type Stage } from "./container-stage.ts";
import { goDuration } from "./go-duration.ts";
import { fullImageName } from "./image-name.ts";
import { RestartBackoff } from "./restart-backoff.ts";

/** One run of a container, for its logs. */
export interface ContainerRun {
  readonly startedMs: number;
  readonly endedMs?: number;
  readonly exit?: ContainerExit;
}

/** One container on a simulated node: a machine of stages that time moves on. */
export class ContainerLife {
  readonly name: string;
  readonly isInit: boolean;
  #container: Container;
  readonly #host: ContainerHost;
  #stage: Stage = { name: "idle" };
  #last: TerminatedState | undefined;
  #restartCount = 0;
  readonly #crashes: RestartBackoff;
  readonly #pulls: RestartBackoff;
  #runs: readonly ContainerRun[] = [];

  constructor(container: Container, isInit: boolean, host: ContainerHost) {
    this.name = container.name;
    this.isInit = isInit;
    this.#container = container;
    this.#host = host;
    this.#crashes = new RestartBackoff(host.settings.backoffBaseMs, host.settings.backoffMaxMs);
    this.#pulls = new RestartBackoff(host.settings.backoffBaseMs, host.settings.backoffMaxMs);
  }

  get image(): string {
    return this.#container.image ?? "";
  }

  /** Nothing has come of it yet that the API would show. */
  get isNew(): boolean {
    return this.#runs.length === 0 && (this.#stage.name === "idle" || this.#stage.name === "pulling");
  }

  get isRunning(): boolean {
    return this.#stage.name === "running";
  }

  get isReady(): boolean {
    return this.#stage.name === "running" && this.#stage.ready;
  }

  /** How it ended, once it is not going to start again. */
  get finalExitCode(): number | undefined {
    return this.#stage.name === "done" ? this.#stage.ended.exitCode : undefined;
  }

  /** The run before this one, if any, and this one. */
  get runs(): readonly ContainerRun[] {
    return this.#runs;
  }

  begin(nowMs: number): void {
    if (this.#stage.name === "idle") this.#pull(nowMs);
  }

  /** Moves on as far as the time allows; says when there is more to do. */
  advance(nowMs: number): number | undefined {
    // Behaviours without any duration could turn in a circle; a later look goes on from there.
    for (let steps = 0; steps < 20; steps++) {
      const dueMs = stageDueMs(this.#stage);
      if (dueMs === undefined || dueMs > nowMs) return dueMs;
      this.#step(nowMs);
    }
    return nowMs + 1;
  }

  /** Takes up a changed behaviour while running. */
  replan(nowMs: number): void {
    // An image that cannot be had any more does not end what already runs.
    if (this.#stage.name !== "running" || !this.#host.plan().pulls) return;
    const { startedMs, containerId, ready } = this.#stage;
    this.#stage = { ...this.#running(nowMs, startedMs, containerId), ready: false };
    // A container that was ready and still may be stays so without a new delay.
    if (ready && this.#host.plan().readyAfterMs !== undefined) this.#stage = { ...this.#stage, ready: true };
  }

  /** A new image in the spec: the container starts again with it. */
  changeSpec(container: Container, nowMs: number): void {
    const isSameImage = container.image === this.#container.image;
    this.#container = container;
    if (isSameImage || this.#stage.name === "idle") return;
    if (this.#stage.name !== "running") return;
    this.#host.event("Normal", "Killing", `Container ${this.name} definition changed, will be restarted`);
    this.end({ code: 143, reason: "Error" }, nowMs);
  }

  /** Ends a running container; whether it starts again is up to the restart policy. */
  end(exit: ContainerExit, nowMs: number): void {
    const stage = this.#stage;
    if (stage.name !== "running") return;
    const ended: TerminatedState = {
      exitCode: exit.code,
      reason: exit.reason,
      startedAt: timestamp(stage.startedMs),
      finishedAt: timestamp(nowMs),
      containerID: stage.containerId,
    };
    const run = { startedMs: stage.startedMs, endedMs: nowMs, exit };
    this.#runs = [...this.#runs.slice(0, -1), run];
    this.#stage = this.#host.restarts(exit.code)
      ? { name: "exited", ended, finishedMs: nowMs, untilMs: nowMs + this.#host.settings.syncMs }
      : { name: "done", ended };
  }

  announceStop(): void {
    this.#host.event("Normal", "Killing", `Stopping container ${this.name}`);
  }

  /** Ends for good: the pod is leaving. */
  stop(nowMs: number): void {
    this.end({ code: 0, reason: "Completed" }, nowMs);
    if (this.#stage.name === "exited") this.#stage = { name: "done", ended: this.#stage.ended };
  }

  status(waitingReason: string): ContainerStatus {
    const stage = this.#stage;
    const containerId = this.#containerId();
    return {
      name: this.name,
      state: this.#state(waitingReason),
      lastState: this.#last === undefined ? {} : { terminated: this.#last },
      ready: this.isInit ? this.finalExitCode === 0 : this.isReady,
      restartCount: this.#restartCount,
      image: containerId === undefined ? this.image : fullImageName(this.image),
      imageID: containerId === undefined ? "" : this.#host.imageId(this.image),
      ...(containerId === undefined ? {} : { containerID: containerId }),
      ...(this.isInit ? {} : { started: stage.name === "running" }),
    };
  }

  #containerId(): string | undefined {
    const stage = this.#stage;
    if (stage.name === "running") return stage.containerId;
    if (stage.name === "exited" || stage.name === "done") return stage.ended.containerID;
    return this.#last?.containerID;
  }

  #state(waitingReason: string): ContainerState {
    return stageState(this.#stage, {
      waitingReason,
      image: this.image,
      container: this.name,
      pod: this.#host.podTitle(),
    });
  }

  #step(nowMs: number): void {
    const stage = this.#stage;
    switch (stage.name) {
      case "blocked":
        this.#pull(nowMs);
        break;
      case "pulling":
        this.#finishPull(stage, nowMs);
        break;
      case "pull-failed":
        this.#waitForPull(stage.retryMs, nowMs);
        break;
      case "pull-backoff":
        // While it is tried again, the kubelet shows why it failed the last time.
        if (nowMs >= stage.retryMs) this.#pull(nowMs, this.#state("ContainerCreating"));
        else this.#waitForPull(stage.retryMs, nowMs);
        break;
      case "running":
        this.#runOn(stage, nowMs);
        break;
      case "exited":
        this.#restartOrWait(stage.ended, stage.finishedMs, nowMs);
        break;
      case "crash-backoff":
        if (nowMs >= stage.restartMs) this.#restart(nowMs);
        else this.#waitForRestart(stage.delayMs, stage.restartMs, nowMs);
        break;
      case "idle":
      case "done":
        break;
      default:
        stage satisfies never;
    }
  }

  #pull(nowMs: number, shown?: ContainerState): void {
    const { settings } = this.#host;
    const why = this.#host.missingInput();
    if (why !== undefined) {
      this.#host.event("Warning", "Failed", `Error: ${why}`);
      this.#stage = { name: "blocked", why, untilMs: nowMs + settings.resyncMs };
      return;
    }
    const isPresent =
      this.#container.imagePullPolicy !== "Always" &&
      this.#host.hasImage(this.image) &&
      this.#host.plan().pulls;
    if (!isPresent) this.#host.event("Normal", "Pulling", `Pulling image "${this.image}"`);
    this.#stage = {
      name: "pulling",
      untilMs: nowMs + settings.startDelayMs,
      present: isPresent,
      ...(shown === undefined ? {} : { shown }),
    };
  }

  #finishPull({ present, shown }: Pulling, nowMs: number): void {
    if (!this.#host.plan().pulls) {
      this.#failPull(nowMs);
      return;
    }
    const took = goDuration(this.#host.settings.startDelayMs);
    const message = present
      ? `Container image "${this.image}" already present on machine`
      : `Successfully pulled image "${this.image}" in ${took} (${took} including waiting)`;
    this.#host.keepImage(this.image);
    this.#host.event("Normal", "Pulled", message);
    if (shown?.terminated !== undefined) this.#last = shown.terminated;
    this.#start(nowMs);
  }

  #failPull(nowMs: number): void {
    const { settings } = this.#host;
    const full = fullImageName(this.image);
    const message = `rpc error: code = NotFound desc = failed to pull and unpack image "${full}": failed to resolve reference "${full}": ${full}: not found`;
    this.#host.event("Warning", "Failed", `Failed to pull image "${this.image}": ${message}`);
    this.#host.event("Warning", "Failed", "Error: ErrImagePull");
    const retryMs = nowMs + this.#pulls.next(nowMs);
    this.#stage = { name: "pull-failed", message, untilMs: nowMs + settings.syncMs, retryMs };
  }

  #waitForPull(retryMs: number, nowMs: number): void {
    this.#host.event("Normal", "BackOff", `Back-off pulling image "${this.image}"`);
    this.#host.event("Warning", "Failed", "Error: ImagePullBackOff");
    const untilMs = Math.min(retryMs, nowMs + this.#host.settings.resyncMs);
    this.#stage = { name: "pull-backoff", untilMs, retryMs };
  }

  #start(nowMs: number): void {
    this.#host.event("Normal", "Created", `Created container ${this.name}`);
    this.#host.event("Normal", "Started", `Started container ${this.name}`);
    this.#pulls.reset();
    if (this.#runs.length > 0) this.#restartCount += 1;
    this.#runs = [...this.#runs.slice(-1), { startedMs: nowMs }];
    this.#stage = this.#running(nowMs, nowMs, this.#host.newContainerId());
  }

  /** The stage of a container that behaves by its plan from `fromMs` on. */
  #running(fromMs: number, startedMs: number, containerId: string): Running {
    const plan = this.#host.plan();
    const { readinessProbe } = this.#container;
    return {
      name: "running",
      startedMs,
      containerId,
      ready: plan.readyAfterMs === 0 && !this.isInit,
      ...(plan.readyAfterMs === undefined ? {} : { readyMs: fromMs + plan.readyAfterMs }),
      ...(plan.exit === undefined ? {} : { exit: { ...plan.exit, atMs: fromMs + plan.exit.afterMs } }),
      ...(readinessProbe === undefined || plan.readyAfterMs === 0
        ? {}
        : { probeMs: fromMs + this.#probePeriodMs() }),
    };
  }

  #runOn(stage: Running, nowMs: number): void {
    if (stage.exit !== undefined && stage.exit.atMs <= nowMs) {
      this.end({ code: stage.exit.code, reason: stage.exit.reason }, stage.exit.atMs);
      return;
    }
    if (!stage.ready && stage.readyMs !== undefined && stage.readyMs <= nowMs) {
      const { probeMs: _, ...rest } = stage;
      this.#stage = { ...rest, ready: true };
      return;
    }
    const { readinessProbe } = this.#container;
    if (readinessProbe === undefined) return;
    const failure = probeFailure(readinessProbe, this.#host.podIp());
    this.#host.event("Warning", "Unhealthy", `Readiness probe failed: ${failure}`);
    this.#stage = { ...stage, probeMs: nowMs + this.#probePeriodMs() };
  }

  #probePeriodMs(): number {
    return (this.#container.readinessProbe?.periodSeconds ?? 10) * 1000;
  }

  #restartOrWait(ended: TerminatedState, finishedMs: number, nowMs: number): void {
    const delayMs = this.#crashes.delayMs(nowMs);
    if (nowMs >= finishedMs + delayMs) {
      this.#restart(nowMs);
      return;
    }
    this.#last = ended;
    this.#waitForRestart(delayMs, finishedMs + delayMs, nowMs);
  }

  #waitForRestart(delayMs: number, restartMs: number, nowMs: number): void {
    const title = this.#host.podTitle();
    this.#host.event(
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${this.name} in pod ${title}`,
    );
    const untilMs = Math.min(restartMs, nowMs + this.#host.settings.resyncMs);
    this.#stage = { name: "crash-backoff", delayMs, untilMs, restartMs };
  }

  #restart(nowMs: number): void {
    this.#crashes.next(nowMs);
    this.#pull(nowMs, this.#state(""));
  }
}
