import type { ContainerState, TerminatedState } from "../controllers/kinds/pod.ts";
import { timestamp } from "../controllers/timestamps.ts";
import type { ContainerExit } from "./container-plan.ts";
import { goDuration } from "./go-duration.ts";

/**
 * Where a container is in its life:
 * - `idle`: its turn has not come;
 * - `blocked`: something it needs is missing;
 * - `pulling`: its image is on the way, and then it starts;
 * - `pull-failed`, `pull-backoff`: its image cannot be had, and the next try waits;
 * - `running`;
 * - `exited`: it ended, and the kubelet has not looked yet;
 * - `crash-backoff`: it ended too often, and the next start waits;
 * - `done`: it ended for good.
 */
export type Stage =
  | { readonly name: "idle" }
  | { readonly name: "blocked"; readonly why: string; readonly untilMs: number }
  | Pulling
  | {
      readonly name: "pull-failed";
      readonly message: string;
      readonly untilMs: number;
      readonly retryMs: number;
    }
  | { readonly name: "pull-backoff"; readonly untilMs: number; readonly retryMs: number }
  | Running
  | {
      readonly name: "exited";
      readonly ended: TerminatedState;
      readonly finishedMs: number;
      readonly untilMs: number;
    }
  | {
      readonly name: "crash-backoff";
      readonly delayMs: number;
      readonly untilMs: number;
      readonly restartMs: number;
    }
  | { readonly name: "done"; readonly ended: TerminatedState };

export interface Pulling {
  readonly name: "pulling";
  readonly untilMs: number;
  readonly present: boolean;
  /** Of a container that starts again: what its status shows until it has. */
  readonly shown?: ContainerState;
}

export interface Running {
  readonly name: "running";
  readonly startedMs: number;
  readonly containerId: string;
  readonly ready: boolean;
  readonly readyMs?: number;
  readonly exit?: ContainerExit & { readonly atMs: number };
  readonly probeMs?: number;
}

/** What the words in a state are about. */
export interface StageNames {
  /** What a container waits for that has not started yet. */
  readonly waitingReason: string;
  readonly image: string;
  readonly container: string;
  readonly pod: string;
}

/** A stage as the API shows it. */
export function stageState(stage: Stage, names: StageNames): ContainerState {
  switch (stage.name) {
    case "idle":
      return { waiting: { reason: names.waitingReason } };
    case "pulling":
      return stage.shown ?? { waiting: { reason: names.waitingReason } };
    case "blocked":
      return { waiting: { reason: "CreateContainerConfigError", message: stage.why } };
    case "pull-failed":
      return { waiting: { reason: "ErrImagePull", message: stage.message } };
    case "pull-backoff":
      return { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${names.image}"` } };
    case "running":
      return { running: { startedAt: timestamp(stage.startedMs) } };
    case "crash-backoff":
      return { waiting: { reason: "CrashLoopBackOff", message: backoffMessage(stage.delayMs, names) } };
    case "exited":
    case "done":
      return { terminated: stage.ended };
    default:
      return stage satisfies never;
  }
}

/** When a stage has something to do by itself, if ever. */
export function stageDueMs(stage: Stage): number | undefined {
  if (stage.name === "idle" || stage.name === "done") return undefined;
  if (stage.name !== "running") return stage.untilMs;
  const times = [stage.ready ? undefined : stage.readyMs, stage.exit?.atMs, stage.probeMs];
  const dueMs = Math.min(...times.map((each) => each ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(dueMs) ? dueMs : undefined;
}

function backoffMessage(delayMs: number, { container, pod }: StageNames): string {
  return `back-off ${goDuration(delayMs)} restarting failed container=${container} pod=${pod}`;
}
