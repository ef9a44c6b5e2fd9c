import type { ProvisionWork } from "./provider-round.ts";
import type { Finding } from "./provisioning-status.ts";

/** Tells people of a state that a cluster has come to; one that it has been in is told already. */
export async function tellState({ cluster, task }: ProvisionWork, found: Finding): Promise<void> {
  const before = cluster.status.provisioning;
  const { state, progress, provisioned } = found;
  const isTroubled = state === "Blocked" || state === "Lost";
  const known = cluster.status.conditions.find(({ type }) => type === "Progress");
  // One trouble after the other is news, though the state stays.
  if (before?.state === state && !(isTroubled && known?.reason !== progress.reason)) return;
  if (isTroubled) {
    await task.recordEvent({ type: "Warning", reason: progress.reason, message: progress.message });
    return;
  }
  const message = messages[state] ?? provisioned.message;
  if (message !== "") await task.recordEvent({ type: "Normal", reason: state, message });
}

const messages: Partial<Readonly<Record<Finding["state"], string>>> = {
  Creating: "The cluster is being made.",
  Joining: "The cluster is there, and its agent is installed.",
  Ready: "The cluster is there, and its agent has come.",
  Updating: "The cluster is made what its object says now.",
  Deleting: "The cluster is being deleted.",
};
