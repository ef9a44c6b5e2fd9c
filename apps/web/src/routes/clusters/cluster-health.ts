import type { Cluster } from "@bowline/api";

import type { HealthName } from "../../ui/health-mark.tsx";

/** The health of a cluster in one word, and the sentence that says why. */
export function clusterHealth(cluster: Cluster): { readonly health: HealthName; readonly reason: string } {
  const { conditions } = cluster.status;
  const ready = conditions.find(({ type }) => type === "Ready");
  const connected = conditions.find(({ type }) => type === "AgentConnected");
  if (cluster.metadata.deletedAt !== undefined) {
    return { health: "Progressing", reason: "It is being deleted." };
  }
  if (ready?.status === "True") return { health: "Healthy", reason: "" };
  const made = makingHealth(cluster);
  if (made !== undefined) return { health: made, reason: ready?.message ?? "" };
  if (connected?.status !== "True" && cluster.status.agent === undefined) {
    return { health: "Missing", reason: connected?.message ?? "No agent has joined yet." };
  }
  const reason = ready?.message ?? connected?.message ?? "";
  return { health: ready?.status === "False" ? "Degraded" : "Unknown", reason };
}

const inTrouble: ReadonlySet<string> = new Set(["Blocked", "Lost"]);
const underWay: ReadonlySet<string> = new Set(["Pending", "Creating", "Provisioned", "Joining"]);

/** Where an agent is missing for a reason that the provider knows better. */
function makingHealth({ status }: Cluster): HealthName | undefined {
  const { state } = status.provisioning ?? {};
  if (state === undefined) return undefined;
  if (inTrouble.has(state)) return "Degraded";
  return underWay.has(state) ? "Progressing" : undefined;
}

/** Whether an agent tells of the cluster now; what was told before may be old. */
export function isConnected({ status }: Cluster): boolean {
  return status.conditions.some(({ type, status: holds }) => type === "AgentConnected" && holds === "True");
}
