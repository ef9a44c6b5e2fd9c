import type { TypeTable } from "../type-language.ts";

export const schedulingTypes: TypeTable = {
  prefix: "io.k8s.api.scheduling.v1",
  source: `
PriorityClass: A name for the priority of pods.
  description: string
  globalDefault: bool
  metadata~: meta.ObjectMeta
  preemptionPolicy*: string default(PreemptLowerPriority) enum(PreemptLowerPriority, Never)
  value!: int32
`,
};
