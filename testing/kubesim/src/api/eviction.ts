import type { ClusterStore } from "../store/cluster-store.ts";
import { readNumber, readPath, readRecord, readString } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { labelSelectorFrom } from "./label-selector.ts";

/** Asks the budgets of a pod for leave; uses up one disruption, or says why it may not go now. */
export function evictionVerdict(store: ClusterStore, pod: SimObject): SimStatusError | undefined {
  const phase = readString(pod, "status.phase");
  // A pod that does not run is missed by nobody.
  if (phase !== "Running" || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const budgets = store
    .list("poddisruptionbudgets.policy", pod.metadata.namespace)
    .filter((budget) => labelSelectorFrom(readPath(budget, "spec.selector")).matches(pod.metadata.labels));
  const [budget, second] = budgets;
  if (!budget) return undefined;
  if (second) {
    return new SimStatusError({
      code: 500,
      reason: "InternalError",
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  }
  const allowed = readNumber(budget, "status.disruptionsAllowed") ?? 0;
  if (allowed <= 0) return tooManyDisruptions(budget);
  store.updateStatus("poddisruptionbudgets.policy", {
    ...budget,
    status: { ...readRecord(budget, "status"), disruptionsAllowed: allowed - 1 },
  });
  return undefined;
}

function tooManyDisruptions(budget: SimObject): SimStatusError {
  const desired = readNumber(budget, "status.desiredHealthy") ?? 0;
  const current = readNumber(budget, "status.currentHealthy") ?? 0;
  return new SimStatusError({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: "DisruptionBudget",
          message: `The disruption budget ${budget.metadata.name} needs ${desired} healthy pods and has ${current} currently`,
        },
      ],
    },
  });
}
