import type { WorkloadInstance } from "@bowline/api";

import { healthRank, type HealthName } from "../../ui/health-mark.tsx";

export type InstanceCluster = WorkloadInstance["status"]["clusters"][number];

/** Health in one word, with the reason as a word and as a sentence. */
export interface WorkloadHealth {
  readonly health: HealthName;
  readonly reason: string;
  readonly message: string;
}

/** How a workload does in one cluster: applied and healthy, or the worse of the two. */
export function healthInCluster({
  ready,
  health,
  reason = "",
  message = "",
}: InstanceCluster): WorkloadHealth {
  return { health: worseOf(ready, health, reason), reason, message };
}

function worseOf(
  ready: InstanceCluster["ready"],
  health: InstanceCluster["health"],
  reason: string,
): HealthName {
  if (ready === "True") return "Healthy";
  if (health !== undefined && health !== "Healthy" && health !== "Unknown") return health;
  // Its objects do well, as far as is known, but they are not those that are wanted.
  if (ready === "False") return "Degraded";
  return reason === "Progressing" || reason === "JustApplied" ? "Progressing" : "Unknown";
}

/** How an instance does in all its clusters together. */
export function workloadHealth({ metadata, status }: WorkloadInstance): WorkloadHealth {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const { reason = "", message = "" } = ready ?? {};
  if (metadata.deletedAt !== undefined) {
    return {
      health: "Progressing",
      reason: "Deleting",
      message: message === "" ? "It is being deleted." : message,
    };
  }
  if (ready?.status === "True") return { health: "Healthy", reason, message };
  const worst = status.clusters.map(healthInCluster).toSorted(byTrouble)[0];
  if (worst !== undefined && worst.health !== "Healthy") return { health: worst.health, reason, message };
  if (ready === undefined) return { health: "Unknown", reason: "", message: "Nobody has looked at it yet." };
  if (ready.reason === "NoClusters") return { health: "Missing", reason, message };
  return { health: ready.status === "False" ? "Degraded" : "Progressing", reason, message };
}

/** What needs somebody, first. */
export function byTrouble(a: { readonly health: HealthName }, b: { readonly health: HealthName }): number {
  return healthRank[a.health] - healthRank[b.health];
}
