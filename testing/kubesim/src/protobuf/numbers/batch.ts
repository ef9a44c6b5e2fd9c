import { batchTypes } from "../../schema/types/batch.ts";
import type { NumberTable } from "../field-numbers.ts";

export const batchNumbers: NumberTable = {
  prefix: batchTypes.prefix,
  source: `
Job: metadata spec status
JobSpec: parallelism completions activeDeadlineSeconds selector manualSelector template backoffLimit
  ttlSecondsAfterFinished completionMode suspend podFailurePolicy backoffLimitPerIndex maxFailedIndexes
  podReplacementPolicy
JobStatus: conditions startTime completionTime active succeeded failed completedIndexes
  uncountedTerminatedPods ready
PodFailurePolicy: rules
PodFailurePolicyRule: action onExitCodes onPodConditions
PodFailurePolicyOnExitCodesRequirement: containerName operator values
PodFailurePolicyOnPodConditionsPattern: type status
UncountedTerminatedPods: succeeded failed
JobCondition: type status lastProbeTime lastTransitionTime reason message
CronJob: metadata spec status
CronJobSpec: schedule startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit
  failedJobsHistoryLimit timeZone
JobTemplateSpec: metadata spec
CronJobStatus: active 4 lastScheduleTime lastSuccessfulTime
`,
};
