import type { Cluster, StatusOf } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import { clusterConditions, type ConditionStatement } from "../../controllers/cluster-conditions.ts";
import type { SessionEnd } from "../session/session-end.ts";

type ClusterStatus = StatusOf<typeof Cluster>;

/** What is known about the agents of a cluster. */
export interface Presence {
  /** When the oldest session began that is open on any replica; undefined when none is. */
  readonly connectedSinceMs: number | undefined;
  /** What this process has seen of the agent, where it was connected here. */
  readonly seen: SeenAgent | undefined;
  /** How the last session ended, where this process knows. */
  readonly end: PresenceEnd | undefined;
}

export interface SeenAgent {
  readonly version: string;
  readonly kubernetesVersion: string;
  readonly clusterUid: string;
  readonly atMs: number;
  readonly rttMs: number | undefined;
}

/** `abandoned`: the replica that held the session is gone. */
export type PresenceEnd = SessionEnd | "abandoned";

/** The status of a Cluster that says so. */
export function withPresence(
  { metadata: { name, generation }, status }: Pick<Cluster, "metadata" | "status">,
  presence: Presence,
  nowMs: number,
): ClusterStatus {
  const { seen } = presence;
  const agent = agentOf(status.agent, presence, nowMs);
  const statement = keptStatement(status, presence) ?? statementOf(name, presence, agent?.lastSeenAt);
  return {
    ...status,
    ...(agent === undefined ? {} : { agent }),
    ...(seen === undefined || seen.kubernetesVersion === ""
      ? {}
      : { kubernetesVersion: seen.kubernetesVersion }),
    ...(seen === undefined ? {} : { clusterUid: seen.clusterUid }),
    conditions: clusterConditions(status.conditions, { AgentConnected: statement }, { generation, nowMs }),
  };
}

function agentOf(
  before: ClusterStatus["agent"],
  { connectedSinceMs, seen }: Presence,
  nowMs: number,
): ClusterStatus["agent"] {
  const version = seen?.version ?? before?.version;
  if (version === undefined) return undefined;
  const seenBeforeMs = before === undefined ? 0 : Date.parse(before.lastSeenAt);
  const lastSeenMs = Math.max(seen?.atMs ?? 0, seenBeforeMs);
  const rttMs = seen?.rttMs ?? before?.rttMs;
  return {
    version,
    ...(connectedSinceMs === undefined ? {} : { connectedSince: timeText(connectedSinceMs) }),
    lastSeenAt: timeText(Math.min(lastSeenMs, Math.max(nowMs, seenBeforeMs))),
    ...(connectedSinceMs === undefined || rttMs === undefined ? {} : { rttMs }),
  };
}

/** That nobody is connected is known already, and why is known better than now. */
function keptStatement(
  { conditions }: ClusterStatus,
  { connectedSinceMs, end }: Presence,
): ConditionStatement | undefined {
  const known = findCondition(conditions, "AgentConnected");
  const tellsMore = end !== undefined && end !== "abandoned";
  if (connectedSinceMs !== undefined || tellsMore || known?.status !== "False") return undefined;
  const { status, reason, message } = known;
  return { status, reason, message };
}

function statementOf(
  name: string,
  { connectedSinceMs, end }: Presence,
  lastSeenAt: string | undefined,
): ConditionStatement {
  if (connectedSinceMs !== undefined) return { status: "True", reason: "Connected", message: "" };
  const seen = lastSeenAt === undefined ? "" : ` It was last heard from at ${lastSeenAt}.`;
  const advice = "Look whether it runs and can reach this server.";
  switch (end) {
    case "revoked":
      return {
        status: "False",
        reason: "Revoked",
        message: `The agent was revoked.${seen} Give it a new join token with \`bowline cluster rotate ${name}\`.`,
      };
    case "silent":
      return {
        status: "False",
        reason: "HeartbeatMissed",
        message: `Three heartbeats of the agent were missing.${seen} ${advice}`,
      };
    case "left":
      return { status: "False", reason: "Disconnected", message: `The agent has left.${seen} ${advice}` };
    case "abandoned":
    case "stopping":
      return {
        status: "False",
        reason: "Disconnected",
        message: `The server that held the connection of the agent is gone.${seen} ${advice}`,
      };
    case "lost":
    case "deleted":
    case undefined:
    default:
      return {
        status: "False",
        reason: "Disconnected",
        message: `The connection of the agent broke.${seen} ${advice}`,
      };
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
