import { policyTypes } from "../../schema/types/policy.ts";
import type { NumberTable } from "../field-numbers.ts";

export const policyNumbers: NumberTable = {
  prefix: policyTypes.prefix,
  source: `
PodDisruptionBudget: metadata spec status
PodDisruptionBudgetSpec: minAvailable selector maxUnavailable unhealthyPodEvictionPolicy
PodDisruptionBudgetStatus: observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy
  expectedPods conditions
Eviction: metadata deleteOptions
`,
};
