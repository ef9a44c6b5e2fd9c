import type { SimObject, SimObjectMeta } from "../../store/sim-api.ts";
import type { Condition, LabelSelector, ObjectReference } from "./meta.ts";
import type { PodTemplate } from "./pod.ts";

export interface Job extends SimObject {
  spec: JobSpec;
  status?: JobStatus;
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  manualSelector?: boolean;
  selector?: LabelSelector;
  template: PodTemplate;
}

export interface JobStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  conditions?: Condition[];
}

export interface CronJob extends SimObject {
  spec: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobSpec {
  schedule: string;
  suspend?: boolean;
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  jobTemplate: { metadata?: Partial<SimObjectMeta>; spec: JobSpec };
}

export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}
