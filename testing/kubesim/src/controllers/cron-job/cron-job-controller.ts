import { BowlineError } from "@bowline/core";

import type { NewObject } from "../../store/sim-api.ts";
import { SimStatusError } from "../../store/sim-status-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import { finishedCondition } from "../job/job-status.ts";
import type { CronJob, CronJobStatus, Job } from "../kinds/batch.ts";
import type { ObjectReference } from "../kinds/meta.ts";
import { keyOf } from "../loop/resource.ts";
import type { WorkQueue } from "../loop/work-loop.ts";
import { controllerOf, controllerReference } from "../owner-references.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";
import { nextRun, parseCronSchedule, type CronSchedule } from "./cron-schedule.ts";

/** More runs than this missed at once are not counted one by one. */
const maxMissed = 100;

/** Starts a Job whenever its time comes. */
export class CronJobController {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext) {
    const { loop } = context;
    this.#context = context;
    this.#events = new EventRecorder(context.events, { component: "cronjob-controller" });
    this.#queue = loop.queue("cronjob", (key) => this.#reconcile(key));
  }

  start(): void {
    const { cluster } = this.#context;
    cluster.cronJobs.onChange(({ object }) => this.#queue.add(keyOf(object)));
    cluster.jobs.onChange(({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === "CronJob") this.#queue.add(`${object.metadata.namespace ?? ""}/${owner.name}`);
    });
    for (const cronJob of cluster.cronJobs.list()) this.#queue.add(keyOf(cronJob));
  }

  #reconcile(key: string): void {
    const found = this.#context.cluster.cronJobs.byKey(key);
    if (found === undefined) return;
    this.#forgetOldJobs(found);
    const cronJob = this.#noteFinishedJobs(found);
    if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true) return;
    const schedule = this.#schedule(cronJob);
    if (schedule === undefined) return;
    const dueMs = this.#dueMs(cronJob, schedule);
    if (dueMs !== undefined) this.#run(cronJob, dueMs);
    const nowMs = this.#context.clock.now();
    const nextMs = nextRun(schedule, nowMs);
    if (nextMs !== undefined) this.#queue.addAfter(key, nextMs - nowMs);
  }

  #schedule(cronJob: CronJob): CronSchedule | undefined {
    try {
      return parseCronSchedule(cronJob.spec.schedule);
    } catch (error) {
      if (!(error instanceof BowlineError)) throw error;
      this.#events.warning(cronJob, "UnparseableSchedule", `unparseable schedule: ${cronJob.spec.schedule}`);
      return undefined;
    }
  }

  /** The latest time that has come and was not served yet. */
  #dueMs(cronJob: CronJob, schedule: CronSchedule): number | undefined {
    const nowMs = this.#context.clock.now();
    const { startingDeadlineSeconds } = cronJob.spec;
    const servedMs =
      parseTimestamp(cronJob.status?.lastScheduleTime) ??
      parseTimestamp(cronJob.metadata.creationTimestamp) ??
      nowMs;
    const fromMs =
      startingDeadlineSeconds === undefined
        ? servedMs
        : Math.max(servedMs, nowMs - startingDeadlineSeconds * 1000);
    let dueMs: number | undefined;
    let missed = 0;
    for (
      let runMs = nextRun(schedule, fromMs);
      runMs !== undefined && runMs <= nowMs;
      runMs = nextRun(schedule, runMs)
    ) {
      dueMs = runMs;
      missed += 1;
      if (missed <= maxMissed) continue;
      const message = `too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew`;
      this.#events.warning(cronJob, "TooManyMissedTimes", message);
      return nextRun(schedule, nowMs - 60_000 * 2) ?? runMs;
    }
    return dueMs;
  }

  #run(cronJob: CronJob, dueMs: number): void {
    const { cluster } = this.#context;
    const { concurrencyPolicy = "Allow" } = cronJob.spec;
    const running = this.#jobs(cronJob).filter((job) => finishedCondition(job) === undefined);
    if (concurrencyPolicy === "Forbid" && running.length > 0) {
      this.#events.normal(
        cronJob,
        "JobAlreadyActive",
        "Not starting job because prior execution is running and concurrency policy is Forbid",
      );
      return;
    }
    if (concurrencyPolicy === "Replace") for (const job of running) this.#deleteJob(cronJob, job);
    const replaced =
      concurrencyPolicy === "Replace" ? new Set(running.map(({ metadata }) => metadata.uid)) : undefined;
    const job = this.#createJob(cronJob, dueMs);
    if (job === undefined) return;
    const active = (cronJob.status?.active ?? []).filter(
      ({ uid }) => uid === undefined || replaced?.has(uid) !== true,
    );
    const status: CronJobStatus = {
      ...cronJob.status,
      active: [...active, referenceTo(job)],
      lastScheduleTime: timestamp(dueMs),
    };
    cluster.cronJobs.updateStatus({ ...cronJob, status });
  }

  /** The name follows from the time, so that no time is ever served twice. */
  #createJob(cronJob: CronJob, dueMs: number): Job | undefined {
    try {
      const job = this.#context.cluster.jobs.create(jobFor(cronJob, dueMs));
      this.#events.normal(cronJob, "SuccessfulCreate", `Created job ${job.metadata.name}`);
      return job;
    } catch (error) {
      if (!(error instanceof SimStatusError)) throw error;
      if (error.reason === "AlreadyExists") return undefined;
      this.#events.warning(cronJob, "FailedCreate", `Error creating job: ${error.message}`);
      throw error;
    }
  }

  #jobs(cronJob: CronJob): Job[] {
    return this.#context.cluster.jobsByOwner.get(cronJob.metadata.uid);
  }

  #noteFinishedJobs(cronJob: CronJob): CronJob {
    const jobs = new Map(this.#jobs(cronJob).map((job) => [job.metadata.uid, job]));
    const active: ObjectReference[] = [];
    let lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
    for (const reference of cronJob.status?.active ?? []) {
      const job = jobs.get(reference.uid ?? "");
      const finished = job === undefined ? undefined : finishedCondition(job);
      if (job === undefined) {
        this.#events.normal(cronJob, "MissingJob", `Active job went missing: ${reference.name ?? ""}`);
      } else if (finished === undefined) {
        active.push(reference);
      } else {
        const message = `Saw completed job: ${job.metadata.name}, condition: ${finished.type}`;
        this.#events.normal(cronJob, "SawCompletedJob", message);
        if (finished.type === "Complete")
          lastSuccessfulTime = job.status?.completionTime ?? lastSuccessfulTime;
      }
    }
    const { active: _, ...rest } = cronJob.status ?? {};
    const status: CronJobStatus = {
      ...rest,
      ...(active.length === 0 ? {} : { active }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    };
    return this.#context.cluster.cronJobs.updateStatus({ ...cronJob, status });
  }

  #forgetOldJobs(cronJob: CronJob): void {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec;
    const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
    for (const [type, limit] of Object.entries(limits)) {
      const finished = this.#jobs(cronJob)
        .filter(
          (job) => finishedCondition(job)?.type === type && job.metadata.deletionTimestamp === undefined,
        )
        .toSorted((a, b) => startMs(a) - startMs(b));
      for (const job of finished.slice(0, Math.max(0, finished.length - limit)))
        this.#deleteJob(cronJob, job);
    }
  }

  #deleteJob(cronJob: CronJob, job: Job): void {
    this.#context.cluster.jobs.delete(job, { propagation: "Background" });
    this.#events.normal(cronJob, "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }
}

function jobFor(cronJob: CronJob, dueMs: number): NewObject {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const { name, namespace } = cronJob.metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${name}-${Math.floor(dueMs / 60_000)}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(dueMs),
      },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec,
  };
}

function startMs(job: Job): number {
  return parseTimestamp(job.status?.startTime) ?? 0;
}

function referenceTo(job: Job): ObjectReference {
  const { namespace, name, uid, resourceVersion } = job.metadata;
  return {
    kind: "Job",
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    apiVersion: "batch/v1",
    resourceVersion,
  };
}
