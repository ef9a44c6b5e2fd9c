import type { TypeTable } from "../type-language.ts";

export const batchTypes: TypeTable = {
  prefix: "io.k8s.api.batch.v1",
  source: `
Job: Runs pods until enough of them succeed.
  metadata~: meta.ObjectMeta
  spec~: JobSpec
  status~: JobStatus
JobSpec: What is wanted of the job.
  activeDeadlineSeconds*: int64
  backoffLimit*: int32
  completions*: int32
  manualSelector*: bool
  parallelism*: int32
  selector: meta.LabelSelector
  template!~: core.PodTemplateSpec
  ttlSecondsAfterFinished*: int32
  suspend*: bool
  completionMode*: string
  podFailurePolicy: PodFailurePolicy
  backoffLimitPerIndex*, maxFailedIndexes*: int32
  podReplacementPolicy*: string
JobStatus: What was last seen of the job.
  active: int32
  completionTime: time
  conditions: [JobCondition] merge(type)
  failed: int32
  startTime: time
  succeeded, ready*: int32
  completedIndexes: string
  uncountedTerminatedPods: UncountedTerminatedPods
PodFailurePolicy: What the failures of pods mean for the job; the first rule that matches decides.
  rules!: [PodFailurePolicyRule] atomic
PodFailurePolicyRule: Which failures it is about, and what follows from them.
  action!: string
  onExitCodes: PodFailurePolicyOnExitCodesRequirement
  onPodConditions: [PodFailurePolicyOnPodConditionsPattern] atomic
PodFailurePolicyOnExitCodesRequirement: A test of how containers ended.
  containerName*, operator!: string
  values!: [int32] set
PodFailurePolicyOnPodConditionsPattern: A condition the pod must have.
  status!: string default(True)
  type!: string
UncountedTerminatedPods: Pods that ended and are not in the counters yet.
  failed, succeeded: [string] set
JobCondition: One aspect of the state of the job.
  lastProbeTime~, lastTransitionTime~: time
  message, reason, status!, type!: string
CronJob: Creates a job on a schedule.
  metadata~: meta.ObjectMeta
  spec~: CronJobSpec
  status~: CronJobStatus
CronJobSpec: What is wanted of the cron job.
  concurrencyPolicy: string default(Allow) enum(Allow, Forbid, Replace)
  failedJobsHistoryLimit*: int32 default(1)
  jobTemplate!~: JobTemplateSpec
  schedule!: string
  startingDeadlineSeconds*: int64
  successfulJobsHistoryLimit*: int32 default(3)
  suspend*: bool default(false)
  timeZone*: string
JobTemplateSpec: The jobs to create.
  metadata~: meta.ObjectMeta
  spec~: JobSpec
CronJobStatus: What was last seen of the cron job.
  active: [core.ObjectReference]
  lastScheduleTime, lastSuccessfulTime: time
`,
};
