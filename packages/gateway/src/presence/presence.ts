import { Cluster, type StatusOf } from "@bowline/api";
import { findCondition } from "@bowline/runtime";
import type { NewEvent } from "@bowline/store";

import type { SessionEnd } from "../session/agent-session.ts";
import { clusterConditions, type ConditionStatement } from "./cluster-conditions.ts";

type ClusterStatus = StatusOf<typeof Cluster>;

/** Knowledge about the agents of a cluster. */
export interface Presence {
  /** When the oldest session began that is open on any replica; undefined when none is. */
  readonly connectedSinceMs: number | undefined;
  /** The agent as this process has seen it, where it was connected here. */
  readonly seen: SeenAgent | undefined;
  /** When the replica that held it was last known to live, where that is gone. */
  readonly heldAtMs?: number | undefined;
  /** How the last session ended, where this process knows. */
  readonly end: PresenceEnd | undefined;
  /** Whether everything is observed, where that may have changed. */
  readonly observed?: ConditionStatement | undefined;
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
  const { seen, observed } = presence;
  const agent = agentOf(status.agent, presence, nowMs);
  const statement = keptStatement(status, presence) ?? statementOf(name, presence, agent?.lastSeenAt);
  return {
    ...status,
    ...(agent === undefined ? {} : { agent }),
    ...(seen === undefined || seen.kubernetesVersion === ""
      ? {}
      : { kubernetesVersion: seen.kubernetesVersion }),
    ...(seen === undefined ? {} : { clusterUid: seen.clusterUid }),
    conditions: clusterConditions(
      status.conditions,
      { AgentConnected: statement, ...(observed === undefined ? {} : { Observed: observed }) },
      { generation, nowMs },
    ),
  };
}

function agentOf(
  before: ClusterStatus["agent"],
  { connectedSinceMs, seen, heldAtMs }: Presence,
  nowMs: number,
): ClusterStatus["agent"] {
  const version = seen?.version ?? before?.version;
  if (version === undefined) return undefined;
  const seenBeforeMs = before === undefined ? 0 : Date.parse(before.lastSeenAt);
  const lastSeenMs = Math.max(seen?.atMs ?? 0, heldAtMs ?? 0, seenBeforeMs);
  const lastSeenAt = timeText(Math.min(lastSeenMs, Math.max(nowMs, seenBeforeMs)));
  if (connectedSinceMs === undefined) return { version, lastSeenAt };
  const rttMs = seen?.rttMs ?? before?.rttMs;
  const rtt = rttMs === undefined ? {} : { rttMs };
  const now = { version, connectedSince: timeText(connectedSinceMs), lastSeenAt, ...rtt };
  return before !== undefined && isNoNews(before, now) ? before : now;
}

type ConnectedAgent = NonNullable<ClusterStatus["agent"]>;

/** It is still there, and no more: a write that says so would stay in the log of changes for a day. */
function isNoNews(before: ConnectedAgent, now: ConnectedAgent): boolean {
  const isSame = before.connectedSince === now.connectedSince && before.version === now.version;
  return isSame && isAlike(before.rttMs, now.rttMs);
}

/** The least difference between two round trips that tells something, in milliseconds. */
const leastRttDifferenceMs = 50;

/** Neither is more than twice the other, unless both are short. */
function isAlike(before: number | undefined, rttMs: number | undefined): boolean {
  if (before === undefined || rttMs === undefined) return before === rttMs;
  return Math.abs(before - rttMs) <= Math.max(leastRttDifferenceMs, Math.min(before, rttMs));
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

/** How a session ended, as a sentence. */
export function endSentence(end: PresenceEnd): string {
  return reasons[end][1];
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

type Stated = Pick<Cluster, "metadata" | "status">;

/** The source of these events. */
const source = "gateway";

const messages: Readonly<Record<string, string>> = {
  Connected: "The agent has connected.",
  Disconnected: "The connection of the agent has ended.",
  HeartbeatMissed: "Three heartbeats of the agent were missing.",
  Revoked: "The agent was revoked.",
};

/** The event of a change in the state of the agent; undefined when there is none. */
export function presenceEvent(before: Stated, after: Stated): NewEvent | undefined {
  const [was, is] = [before, after].map(({ status }) => findCondition(status.conditions, "AgentConnected"));
  const message = is === undefined ? undefined : messages[is.reason];
  if (is === undefined || message === undefined || was?.reason === is.reason) return undefined;
  return agentEvent(after, {
    type: is.status === "True" ? "Normal" : "Warning",
    reason: `Agent${is.reason}`,
    message,
  });
}

/** Something about the agent of a Cluster. */
export function agentEvent(
  { metadata: { name, id } }: Pick<Cluster, "metadata"> | { readonly metadata: { name: string; id: string } },
  told: Pick<NewEvent, "type" | "reason" | "message">,
): NewEvent {
  return { ...told, regarding: { kind: Cluster.kind, name, id }, source };
}
