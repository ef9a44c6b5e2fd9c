import { SimStatusError } from "../../store/sim-status-error.ts";
import { claimOwned } from "../claim-owned.ts";
import { withCondition } from "../conditions.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import type { Job, JobStatus } from "../kinds/batch.ts";
import type { Condition } from "../kinds/meta.ts";
import type { Pod } from "../kinds/pod.ts";
import { keyOf, type Change } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf } from "../owner-references.ts";
import { rankForDeletion } from "../pods/deletion-ranking.ts";
import { podFromTemplate } from "../pods/pod-template.ts";
import { isActive } from "../pods/pod-state.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";
import {
  deadlineOf,
  finishedCondition,
  isComplete,
  jobCondition,
  jobFailure,
  wantedActive,
  type JobCounts,
} from "./job-status.ts";

const firstRetryMs = 10_000;
const lastRetryMs = 360_000;

/** The pods of a job that ended, and when the last of them failed. */
interface Tally {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
  lastFailureMs: number;
}

/** Runs pods until enough of them succeeded, or too many failed. */
export class JobController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #tallies = new Map<string, Tally>();

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "job-controller" });
    this.#queue = loop.queue("job", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.jobs.onChange(({ type, object }) => {
      if (type === "DELETED") this.#tallies.delete(object.metadata.uid);
      this.#queue.add(keyOf(object));
    });
    cluster.pods.onChange((change) => this.#podChanged(change));
    for (const job of cluster.jobs.list()) this.#queue.add(keyOf(job));
  }

  #podChanged({ object, previous }: Change<Pod>): void {
    for (const owner of [controllerOf(object), previous && controllerOf(previous)]) {
      if (owner?.kind === "Job") this.#queue.add(`${object.metadata.namespace ?? ""}/${owner.name}`);
    }
  }

  #reconcile(key: string): void {
    const { cluster, clock } = this.#context;
    const job = cluster.jobs.byKey(key);
    if (job === undefined || job.spec.selector === undefined) return;
    if (finishedCondition(job) !== undefined) {
      this.#removeWhenOld(key, job);
      return;
    }
    const claimable = { resource: cluster.pods, byOwner: cluster.podsByOwner };
    const pods = claimOwned(job, job.spec.selector, claimable);
    const active = pods.filter(isActive);
    const tally = this.#count(job, pods);
    const counts = { active: active.length, succeeded: tally.succeeded.size, failed: tally.failed.size };
    if (job.metadata.deletionTimestamp !== undefined) return;

    const started = this.#start(job);
    const failure = jobFailure(started, counts, active, clock.now());
    if (failure !== undefined) {
      this.#deletePods(started, active, active.length);
      this.#events.warning(started, failure.reason, failure.message);
      const over = { ...counts, active: 0, failed: counts.failed + counts.active };
      this.#writeStatus(started, over, { conditions: [jobCondition("Failed", clock.now(), failure)] });
    } else if (isComplete(started, counts)) {
      this.#deletePods(started, active, active.length);
      this.#events.normal(started, "Completed", "Job completed");
      const done = {
        completionTime: timestamp(clock.now()),
        conditions: [jobCondition("Complete", clock.now())],
      };
      this.#writeStatus(started, { ...counts, active: 0 }, done);
    } else {
      this.#runPods(key, started, active, counts);
    }
  }

  #start(job: Job): Job {
    if (job.status?.startTime !== undefined || job.spec.suspend === true) return job;
    const startTime = timestamp(this.#context.clock.now());
    return this.#context.cluster.jobs.updateStatus({ ...job, status: { ...job.status, startTime } });
  }

  #count(job: Job, pods: readonly Pod[]): Tally {
    const tally = this.#tallies.get(job.metadata.uid) ?? {
      succeeded: new Set(),
      failed: new Set(),
      lastFailureMs: 0,
    };
    this.#tallies.set(job.metadata.uid, tally);
    for (const pod of pods) {
      if (pod.status?.phase === "Succeeded") tally.succeeded.add(pod.metadata.uid);
      if (pod.status?.phase !== "Failed" || tally.failed.has(pod.metadata.uid)) continue;
      tally.failed.add(pod.metadata.uid);
      tally.lastFailureMs = this.#context.clock.now();
    }
    return tally;
  }

  #runPods(key: string, job: Job, active: readonly Pod[], counts: JobCounts): void {
    const { clock } = this.#context;
    const missing = wantedActive(job, counts) - active.length;
    const waitMs = this.#retryInMs(job, counts);
    if (missing < 0) this.#deletePods(job, active, -missing);
    const made = waitMs > 0 ? 0 : this.#createPods(job, missing);
    if (missing > 0 && waitMs > 0) this.#queue.addAfter(key, waitMs);
    const deadlineMs = deadlineOf(job);
    if (deadlineMs !== undefined) this.#queue.addAfter(key, Math.max(1, deadlineMs - clock.now()));
    this.#writeStatus(job, { ...counts, active: counts.active + Math.min(0, missing) + made }, {});
  }

  /** After failures, each next pod waits twice as long as the one before. */
  #retryInMs(job: Job, { failed }: JobCounts): number {
    const lastFailureMs = this.#tallies.get(job.metadata.uid)?.lastFailureMs ?? 0;
    if (failed === 0 || lastFailureMs === 0) return 0;
    const delayMs = Math.min(firstRetryMs * 2 ** (failed - 1), lastRetryMs);
    return lastFailureMs + delayMs - this.#context.clock.now();
  }

  #createPods(job: Job, count: number): number {
    for (let made = 0; made < count; made++) {
      try {
        const pod = this.#context.cluster.pods.create(podFromTemplate(job, job.spec.template));
        this.#events.normal(job, "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        if (error instanceof SimStatusError) {
          this.#events.warning(job, "FailedCreate", `Error creating: ${error.message}`);
        }
        throw error;
      }
    }
    return Math.max(0, count);
  }

  #deletePods(job: Job, pods: readonly Pod[], count: number): void {
    for (const pod of rankForDeletion(pods, () => 0).slice(0, count)) {
      this.#context.cluster.pods.delete(pod);
      this.#events.normal(job, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
    }
  }

  #writeStatus(
    job: Job,
    { active, succeeded, failed }: JobCounts,
    end: { readonly completionTime?: string; readonly conditions?: readonly Condition[] },
  ): void {
    const { conditions: before = [], startTime } = job.status ?? {};
    const conditions = (end.conditions ?? []).reduce(withCondition, before);
    const status: JobStatus = {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(end.completionTime === undefined ? {} : { completionTime: end.completionTime }),
      ...(active === 0 ? {} : { active }),
      ...(succeeded === 0 ? {} : { succeeded }),
      ...(failed === 0 ? {} : { failed }),
    };
    this.#context.cluster.jobs.updateStatus({ ...job, status });
  }

  #removeWhenOld(key: string, job: Job): void {
    const { cluster, clock } = this.#context;
    const seconds = job.spec.ttlSecondsAfterFinished;
    const finishedMs = parseTimestamp(finishedCondition(job)?.lastTransitionTime);
    if (seconds === undefined || finishedMs === undefined || job.metadata.deletionTimestamp !== undefined)
      return;
    const leftMs = finishedMs + seconds * 1000 - clock.now();
    if (leftMs > 0) this.#queue.addAfter(key, leftMs);
    else cluster.jobs.delete(job, { propagation: "Foreground" });
  }
}
