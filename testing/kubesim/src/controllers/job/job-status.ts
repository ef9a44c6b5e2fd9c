import { findCondition } from "../conditions.ts";
import type { Job } from "../kinds/batch.ts";
import type { Condition } from "../kinds/meta.ts";
import type { Pod } from "../kinds/pod.ts";
import { restartsOf } from "../pods/pod-state.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";

/** How the pods of a job stand. Pods that ended stay counted when they are deleted. */
export interface JobCounts {
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface JobFailure {
  readonly reason: "BackoffLimitExceeded" | "DeadlineExceeded";
  readonly message: string;
}

export function finishedCondition(job: Job): Condition | undefined {
  const conditions = job.status?.conditions;
  return [findCondition(conditions, "Complete"), findCondition(conditions, "Failed")].find(
    (condition) => condition?.status === "True",
  );
}

export function jobFailure(
  job: Job,
  counts: JobCounts,
  activePods: readonly Pod[],
  nowMs: number,
): JobFailure | undefined {
  const { backoffLimit = 6, template } = job.spec;
  const restarts = activePods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const isRestartLimit =
    template.spec.restartPolicy === "OnFailure" && restarts > 0 && restarts >= backoffLimit;
  if (counts.failed > backoffLimit || isRestartLimit) {
    return { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
  }
  const deadlineMs = deadlineOf(job);
  if (deadlineMs !== undefined && nowMs >= deadlineMs) {
    return { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };
  }
  return undefined;
}

/** The moment a running job is ended, if it has one. */
export function deadlineOf(job: Job): number | undefined {
  const startMs = parseTimestamp(job.status?.startTime);
  const seconds = job.spec.activeDeadlineSeconds;
  return startMs === undefined || seconds === undefined ? undefined : startMs + seconds * 1000;
}

export function isComplete(job: Job, { active, succeeded }: JobCounts): boolean {
  const { completions } = job.spec;
  return completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
}

/** How many pods should run at once from here on. */
export function wantedActive(job: Job, { active, succeeded }: JobCounts): number {
  const { completions, parallelism = 1, suspend } = job.spec;
  if (suspend === true) return 0;
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

export function jobCondition(type: string, nowMs: number, failure?: JobFailure): Condition {
  const time = timestamp(nowMs);
  return { type, status: "True", lastProbeTime: time, lastTransitionTime: time, ...failure };
}
