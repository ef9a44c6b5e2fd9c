import { countAt, isTrueAt, listAt, numberAt, textAt, valueAt } from "../facts/read-facts.ts";
import { degraded, progressing, type Verdict } from "../verdict.ts";

/** The kubelet starts a container again after longer and longer pauses, until it has run for so long. */
const forgottenAfterMs = 600_000;
/** A container that has run for less is as likely to fail again. */
const settledAfterMs = 10_000;
/** Clocks of nodes are not alike; but a time that is further ahead tells nothing. */
const clockToleranceMs = 60_000;

export interface ContainerRole {
  readonly isInit: boolean;
  readonly restartPolicy: string;
}

/** Whether a container runs, or waits, that has failed before and not so long ago that it is forgotten. */
export function hasCrashed(status: unknown, now: Date | undefined): boolean {
  if (countAt(status, "restartCount") === 0) return false;
  if (countAt(status, "lastState", "terminated", "exitCode") === 0) return false;
  return isWithin(forgottenAfterMs, textAt(status, "lastState", "terminated", "finishedAt"), now);
}

/** Agents that do not tell the time, and people who do not, are told what holds without it. */
function isWithin(limitMs: number, time: string, now: Date | undefined): boolean {
  const atMs = Date.parse(time);
  if (now === undefined || Number.isNaN(atMs)) return true;
  const ageMs = now.getTime() - atMs;
  return ageMs >= -clockToleranceMs && ageMs < limitMs;
}

/** `ended with exit code 137 (OOMKilled): out of memory` */
export function howItEnded(status: unknown, state: "state" | "lastState"): string {
  const code = numberAt(status, state, "terminated", "exitCode");
  const reason = textAt(status, state, "terminated", "reason");
  const told = textAt(status, state, "terminated", "message");
  const why = reason === "" || reason === "Error" ? "" : ` (${reason})`;
  const message = told === "" ? "" : `: ${told}`;
  return `${code === undefined ? "ended" : `ended with exit code ${code}`}${why}${message}`;
}

/**
 * The verdict on a container that fails again and again. It is the same in all moments of a loop, while the container
 * waits, runs or has just ended, so that it changes with the restarts and not between them.
 */
export function judgeCrashLoop(
  status: unknown,
  name: string,
  { restartPolicy }: Pick<ContainerRole, "restartPolicy">,
): Verdict {
  const restarts = countAt(status, "restartCount");
  const ending = valueAt(status, "state", "terminated") === undefined ? "lastState" : "state";
  const isOutOfMemory = textAt(status, ending, "terminated", "reason") === "OOMKilled";
  const reason = isOutOfMemory ? "OOMKilled" : "CrashLoopBackOff";
  const times = restarts === 1 ? "once" : `${restarts} times`;
  const message = `${name} has been restarted ${times} and ${howItEnded(status, ending)}`;
  // Trying again is what this policy asks for; when it is enough, the owner of the pod decides.
  return restartPolicy === "OnFailure" ? progressing(reason, message) : degraded(reason, message);
}

/** A pod that is ready, or nearly, and has failed a moment ago. */
export interface Relapse {
  /** What is to be said of the pod as long as nobody can rely on it. */
  readonly verdict: Verdict;
  /** It has run for so short a time that whoever counts it in may be wrong. */
  readonly isFresh: boolean;
}

/** A pod whose containers are ready although one of them has failed lately; undefined for all others. */
export function relapseOf(facts: unknown, now: Date): Relapse | undefined {
  const crashed = crashedIn(facts, now).filter((status) => isTrueAt(status, "ready"));
  const [first] = crashed;
  if (first === undefined) return undefined;
  const restartPolicy = textAt(facts, "spec", "restartPolicy");
  const verdict = judgeCrashLoop(first, `Container ${textAt(first, "name")}`, { restartPolicy });
  if (verdict.health !== "Degraded") return undefined;
  const isFresh = crashed.some((status) => startedAgoMs(status, now) < settledAfterMs);
  return { verdict, isFresh };
}

/** How long it is until a pod that has failed is judged otherwise without any news of it. */
export function judgedAgainMs(facts: unknown, now: Date): number | undefined {
  const times = crashedIn(facts, now).flatMap((status) => {
    const endedMs = Date.parse(textAt(status, "lastState", "terminated", "finishedAt"));
    return [settledAfterMs - startedAgoMs(status, now), endedMs + forgottenAfterMs - now.getTime()];
  });
  const ahead = times.filter((ms) => ms > 0 && ms <= forgottenAfterMs + clockToleranceMs);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function crashedIn(facts: unknown, now: Date): readonly unknown[] {
  if (textAt(facts, "kind") !== "Pod" || textAt(facts, "status", "phase") !== "Running") return [];
  return listAt(facts, "status", "containerStatuses").filter(
    (status) => valueAt(status, "state", "running") !== undefined && hasCrashed(status, now),
  );
}

/** Without a time it may have run for ever. */
function startedAgoMs(status: unknown, now: Date): number {
  const startedMs = Date.parse(textAt(status, "state", "running", "startedAt"));
  return Number.isNaN(startedMs) ? Number.POSITIVE_INFINITY : now.getTime() - startedMs;
}
