import type { TypeTable } from "../type-language.ts";

export const policyTypes: TypeTable = {
  prefix: "io.k8s.api.policy.v1",
  source: `
PodDisruptionBudget: How many pods may be taken down at once by choice.
  metadata~: meta.ObjectMeta
  spec~: PodDisruptionBudgetSpec
  status~: PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: What is wanted of the pod disruption budget.
  maxUnavailable, minAvailable: int-or-string
  selector: meta.LabelSelector
  unhealthyPodEvictionPolicy*: string
PodDisruptionBudgetStatus: What was last seen of the pod disruption budget.
  currentHealthy!, desiredHealthy!: int32
  disruptedPods: {time}
  disruptionsAllowed!, expectedPods!: int32
  observedGeneration: int64
  conditions: [meta.Condition] keys(type) merge(type)
Eviction: Asks a pod to leave its node, within its disruption budget.
  deleteOptions: meta.DeleteOptions
  metadata~: meta.ObjectMeta
`,
};
