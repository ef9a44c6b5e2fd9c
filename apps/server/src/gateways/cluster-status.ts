import type { Gateway } from "@bowline/api";
import { hasCode, shortened } from "@bowline/core";
import { failureReport, TerminalError } from "@bowline/runtime";

import { ObjectGone } from "../controllers/object-task.ts";
import {
  maxMessageLength,
  missing,
  stopped,
  summarized,
  unknown,
  type ClusterStatus,
  type Finding,
} from "./check.ts";

export function agentAway(cluster: string): Finding {
  return unknown(
    "AgentDisconnected",
    `The agent of cluster ${cluster} is not connected, so nobody knows how it does.`,
  );
}

/** Failures of the server itself: whatever is tried next fails too, or is no longer ours to do. */
const ownFailures = ["DatabaseUnavailable", "LeaseLost", "Cancelled"] as const;

/**
 * Why a Gateway came no further in a cluster, as one that answers nonsense or refuses what is written must not keep others
 * from being looked at. Throws what is no failure of that cluster.
 */
export function failureIn(cluster: string, error: unknown, signal: AbortSignal): Finding {
  signal.throwIfAborted();
  if (error instanceof ObjectGone || hasCode(error, ...ownFailures)) throw error;
  if (hasCode(error, "AgentOffline", "TunnelLost")) return agentAway(cluster);
  const { reason, message } = failureReport(error);
  if (error instanceof TerminalError) return missing(reason, message);
  return unknown(reason, `It could not be looked at in cluster ${cluster}: ${message}`);
}

/** What was found before is not told as if it held; class, services and addresses stay, because what was made stays. */
export function withNews(
  before: ClusterStatus | undefined,
  cluster: string,
  finding: Finding,
): ClusterStatus {
  return {
    addresses: before?.addresses ?? [],
    ...(before?.class === undefined ? {} : { class: before.class }),
    ...(before?.services === undefined ? {} : { services: before.services }),
    ...summarized(cluster, new Map()),
    ready: finding.status,
    reason: finding.reason,
    message: shortened(finding.message, maxMessageLength),
  };
}

/** How it does where it comes no further than its class; see above. */
export function stoppedAfter(
  before: ClusterStatus | undefined,
  cluster: string,
  finding: Finding,
): ClusterStatus {
  const { addresses = [], class: className } = before ?? {};
  return {
    ...stopped(cluster, finding),
    addresses,
    ...(className === undefined ? {} : { class: className }),
  };
}

/** By what it has said since, the others know what it uses. */
export function withMade(status: ClusterStatus, now: ClusterStatus | undefined): ClusterStatus {
  const { class: className, services } = now ?? {};
  return {
    ...status,
    ...(className === undefined ? {} : { class: className }),
    ...(services === undefined ? {} : { services }),
  };
}

/**
 * Whoever leads requests there is to lead them elsewhere. Until that is so for the hosts in `held`, what is there stays.
 */
export function leaving(status: ClusterStatus, held: readonly string[], nowMs: number): ClusterStatus {
  const { cluster, leavingSince = new Date(nowMs).toISOString() } = status;
  const next =
    held.length === 0
      ? "its routes there are being removed."
      : `the DNS records of ${held.join(", ")} are led elsewhere first, for a minute at most.`;
  const message = shortened(`It is leaving cluster ${cluster}: ${next}`, maxMessageLength);
  return { ...status, ready: "False", reason: "Leaving", message, leavingSince };
}

/** What is written down of a cluster. */
export function statusIn({ clusters }: Gateway["status"], cluster: string): ClusterStatus | undefined {
  return clusters.find((each) => each.cluster === cluster);
}

/** Changes those of some clusters. */
export function withEach(
  status: Gateway["status"],
  clusters: readonly string[],
  change: (status: ClusterStatus) => ClusterStatus,
): Gateway["status"] {
  const changed = status.clusters.map((each) => (clusters.includes(each.cluster) ? change(each) : each));
  return { ...status, clusters: changed };
}

export function withoutServices(status: ClusterStatus): ClusterStatus {
  const { services: left, ...rest } = status;
  return left === undefined ? status : rest;
}

export function withoutClass(status: ClusterStatus): ClusterStatus {
  const { class: left, ...rest } = status;
  return left === undefined ? status : rest;
}

const order = { False: 0, Unknown: 1, True: 2 } as const;

export function inTrouble(one: ClusterStatus, other: ClusterStatus): number {
  return order[one.ready] - order[other.ready] || (one.cluster < other.cluster ? -1 : 1);
}
