import {
  conditionOf,
  countAt,
  explanation,
  isTrueAt,
  listAt,
  textAt,
  type Facts,
} from "../facts/read-facts.ts";
import { degraded, healthy, progressing, suspended, type Verdict } from "../verdict.ts";

export function judgeJob(facts: Facts): Verdict {
  const holds = (type: string): boolean => conditionOf(facts, type)?.status === "True";
  const failed = conditionOf(facts, "Failed") ?? conditionOf(facts, "FailureTarget");
  if (failed?.status === "True") {
    return degraded(failed.reason || "JobFailed", `The job has failed: ${explanation(failed)}`);
  }
  if (holds("Complete") || holds("SuccessCriteriaMet"))
    return healthy("Completed", "The job has done its work.");
  if (holds("Suspended") || isTrueAt(facts, "spec", "suspend")) {
    return suspended("Suspended", "The job is suspended.");
  }
  const failures = countAt(facts, "status", "failed");
  const after = failures === 0 ? "" : `; ${failures} have failed so far`;
  return progressing("Running", `${countAt(facts, "status", "active")} pods of the job are at work${after}.`);
}

/**
 * A CronJob is judged by the last of its runs that ended. One that runs now may well repair the one before, and most of
 * them run half of the time, so that this alone is no progress.
 */
export function judgeCronJob(facts: Facts): Verdict {
  if (isTrueAt(facts, "spec", "suspend") || isTrueAt(facts, "spec", "paused")) {
    return suspended("Suspended", "No jobs are started while it is suspended.");
  }
  const scheduled = Date.parse(textAt(facts, "status", "lastScheduleTime"));
  const succeeded = Date.parse(textAt(facts, "status", "lastSuccessfulTime"));
  if (listAt(facts, "status", "active").length > 0) {
    return Number.isNaN(succeeded)
      ? progressing("FirstRun", "A job runs, and none has succeeded yet.")
      : healthy("Running", "A job runs; the last one that succeeded is known.");
  }
  if (Number.isNaN(scheduled)) return healthy("NotYetScheduled", "No job has been due yet.");
  if (!(succeeded >= scheduled)) {
    return degraded("LastJobFailed", "The last job that was started has ended without success.");
  }
  return healthy("LastJobSucceeded", "The last job that was started has succeeded.");
}
