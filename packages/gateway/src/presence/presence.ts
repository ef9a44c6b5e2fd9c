import type { Cluster, StatusOf } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import { clusterConditions, type ConditionStatement } from "./cluster-conditions.ts";
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

/** Why nobody is connected, by how the last session ended. */
const reasons: Readonly<Record<PresenceEnd, readonly [reason: string, what: string]>> = {
  revoked: ["Revoked", "The agent was revoked."],
  silent: ["HeartbeatMissed", "Three heartbeats of the agent were missing."],
  left: ["Disconnected", "The agent has left."],
  lost: ["Disconnected", "The connection of the agent broke."],
  deleted: ["Disconnected", "The connection of the agent was closed."],
  stopping: ["Disconnected", "The server that held the connection of the agent has stopped."],
  abandoned: ["Disconnected", "The server that held the connection of the agent is gone."],
};

function statementOf(
  name: string,
  { connectedSinceMs, end = "lost" }: Presence,
  lastSeenAt: string | undefined,
): ConditionStatement {
  if (connectedSinceMs !== undefined) return { status: "True", reason: "Connected", message: "" };
  const [reason, what] = reasons[end];
  const seen = lastSeenAt === undefined ? "" : ` It was last heard from at ${lastSeenAt}.`;
  const advice =
    end === "revoked"
      ? `Give it a new join token with \`bowline cluster rotate ${name}\`.`
      : "Look whether it runs and can reach this server.";
  return { status: "False", reason, message: `${what}${seen} ${advice}` };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
