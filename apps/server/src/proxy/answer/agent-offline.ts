import type { Cluster, ObjectOf } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** Says since when the agent is away, or that it will not come back by itself, as the status of its Cluster has it. */
export function agentOffline(
  cause: BowlineError,
  name: string,
  cluster: Pick<ObjectOf<typeof Cluster>, "status"> | undefined,
): BowlineError {
  if (isRevoked(cluster)) {
    // Without a time: kubectl would wait for an agent that was here a moment ago.
    const message = `The agent of the cluster ${name} was revoked; \`bowline cluster rotate ${name}\` lets it join again.`;
    return new BowlineError("AgentOffline", message, { cause });
  }
  const lastSeenAt = cause.details?.["lastSeenAt"] ?? cluster?.status.agent?.lastSeenAt;
  const seen = typeof lastSeenAt === "string" ? `was last seen at ${lastSeenAt}` : "has never been seen";
  return new BowlineError("AgentOffline", `The agent of the cluster ${name} is not connected; it ${seen}.`, {
    cause,
    details: { ...cause.details, ...(lastSeenAt === undefined ? {} : { lastSeenAt }) },
  });
}

function isRevoked(cluster: Pick<ObjectOf<typeof Cluster>, "status"> | undefined): boolean {
  return (
    cluster?.status.conditions.some(
      ({ type, reason }) => type === "AgentConnected" && reason === "Revoked",
    ) === true
  );
}
