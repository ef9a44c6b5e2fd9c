import type { SimObject } from "../../store/sim-api.ts";
import type { Condition, IntOrPercent, LabelSelector } from "./meta.ts";

export interface PodDisruptionBudget extends SimObject {
  spec: {
    selector?: LabelSelector;
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
  };
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  /** Pods whose eviction was granted and who have not begun to leave, with the time it was. */
  disruptedPods?: Record<string, string>;
  conditions?: (Condition & { observedGeneration?: number })[];
}
