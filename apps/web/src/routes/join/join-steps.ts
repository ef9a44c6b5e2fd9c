import type { AgentSession, Cluster, EventRecord } from "@bowline/api";

import { rttText } from "../clusters/cluster-columns.tsx";
import type { ClusterNumbers } from "../clusters/cluster-numbers.ts";

/**
 * One of the four lines of a cluster that joins.
 * - done: it has happened
 * - now: it is waited for
 * - later: something else has to happen first
 */
export interface JoinStep {
  readonly title: string;
  readonly state: "done" | "now" | "later";
  readonly detail: string;
}

export interface JoinFacts {
  readonly cluster: Cluster | undefined;
  /** Of this cluster. */
  readonly events: Iterable<EventRecord>;
  /** Of this cluster. */
  readonly sessions: readonly AgentSession[];
  readonly numbers: ClusterNumbers;
  /** Whether the reader may see its numbers; undefined while that is not known. */
  readonly hasAccess: boolean | undefined;
}

/** How far a cluster is on its way, from what the server tells of it. */
export function joinSteps({ cluster, events, sessions, numbers, hasAccess }: JoinFacts): JoinStep[] {
  const { clusterUid, kubernetesVersion, conditions = [] } = cluster?.status ?? {};
  const isConnected = conditions.some(({ type, status }) => type === "AgentConnected" && status === "True");
  const observed = conditions.find(({ type }) => type === "Observed");
  const hasJoined = clusterUid !== undefined || [...events].some(({ reason }) => reason === "AgentJoined");
  const hasNumbers = numbers.nodes !== undefined || numbers.pods !== undefined;
  // Who may not see numbers would wait for them for ever.
  const hasReported = hasNumbers || (observed !== undefined && hasAccess === false);
  const done = [hasJoined, hasJoined, isConnected, hasReported];
  const first = done.indexOf(false);
  const details = [
    hasJoined ? "It has come." : "Nobody has shown the token yet.",
    joinedText(clusterUid, kubernetesVersion),
    isConnected ? connectedText(cluster, sessions) : "The agent opens its session.",
    reportText(numbers, hasReported),
  ];
  const titles = ["Waiting for the agent", "Joined", "Connected", "First report"];
  return titles.map((title, index) => {
    // What a cluster told before its agent went away is no step of the way back.
    const isDone = first < 0 || index < first;
    const isNow = index === first;
    return {
      title,
      state: isDone ? "done" : isNow ? "now" : "later",
      detail: isDone || isNow ? (details[index] ?? "") : "",
    };
  });
}

function joinedText(uid: string | undefined, version: string | undefined): string {
  if (uid === undefined) return "The server knows its key.";
  return `Kubernetes ${version ?? "of an unknown version"}, UID ${uid}.`;
}

function connectedText(cluster: Cluster | undefined, sessions: readonly AgentSession[]): string {
  const [session] = sessions;
  const rttMs = session?.numbers?.rttMs ?? cluster?.status.agent?.rttMs;
  const rtt = rttMs === undefined ? "Measuring the round trip" : `Round trip ${rttText(rttMs)}`;
  const replica = session?.replica === undefined ? "" : `, replica ${session.replica.slice(0, 8)}`;
  return `${rtt}${replica}.`;
}

function reportText({ nodes, pods }: ClusterNumbers, hasReported: boolean): string {
  const parts = [
    nodes === undefined ? "" : `${nodes.ready} of ${nodes.count} nodes ready`,
    pods === undefined ? "" : `${pods.running} of ${pods.wanted} pods running`,
  ].filter(Boolean);
  if (parts.length > 0) return `${parts.join(", ")}.`;
  return hasReported
    ? "It has come; you see its numbers once an AccessGrant lets you in."
    : "The agent counts nodes and pods.";
}

export function isJoined(steps: readonly JoinStep[]): boolean {
  return steps.every(({ state }) => state === "done");
}

/** Why agents were refused, the latest first, each sentence once. */
export function refusalsIn(events: Iterable<EventRecord>, sinceMs: number): EventRecord[] {
  return [...events]
    .filter(({ reason, lastSeenAt }) => reason === "JoinRefused" && Date.parse(lastSeenAt) >= sinceMs)
    .toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));
}
