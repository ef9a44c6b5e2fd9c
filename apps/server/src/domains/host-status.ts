import type { DomainName, DomainNameSpec } from "@bowline/api";
import { shortened } from "@bowline/core";

import type { Decision, HostState, KnownCluster } from "./decide-host.ts";
import type { RecordOutcome, ZonePlace } from "./write-records.ts";

export type HostStatus = DomainName["status"]["hosts"][number];

/** What was decided for a host, and what came of it. */
export interface TellHost {
  readonly host: string;
  readonly state: HostState;
  /** Missing before anything was written. */
  readonly outcome: RecordOutcome | undefined;
  readonly records: readonly string[];
  /** Active clusters that the records cannot lead to. */
  readonly leftOut?: readonly string[];
  readonly place: ZonePlace | undefined;
}

interface Finding {
  readonly ready: HostStatus["ready"];
  readonly reason: string;
  readonly message: string;
}

const maxMessageLength = 1_024;

/** The state of a host as it was written down; undefined for one that is new. */
export function stateOf(status: HostStatus | undefined): HostState | undefined {
  if (status === undefined) return undefined;
  return {
    active: status.active,
    sinceMs: Date.parse(status.since),
    clusters: status.clusters.map(({ healthy, since, lostAt, ...rest }) => ({
      ...rest,
      isHealthy: healthy === "True",
      isLeaving: false,
      sinceMs: Date.parse(since),
      lostAtMs: lostAt === undefined ? undefined : Date.parse(lostAt),
    })),
  };
}

export function hostStatus(told: TellHost, spec: DomainNameSpec): HostStatus {
  const { host, state, records, place } = told;
  const finding = findingOf(told, spec);
  return {
    host,
    ...finding,
    message: shortened(finding.message, maxMessageLength),
    ...writtenState(state),
    records: [...records],
    ...(place === undefined ? {} : { place }),
  };
}

/** The state of a host as it is written down. */
export function writtenState({
  active,
  sinceMs,
  clusters,
}: HostState): Pick<HostStatus, "active" | "since" | "clusters"> {
  return { active: [...active], since: timeText(sinceMs), clusters: clusters.map(clusterStatus) };
}

function clusterStatus(known: KnownCluster): HostStatus["clusters"][number] {
  const { cluster, isHealthy, sinceMs, lostAtMs, reason, message, addresses } = known;
  return {
    cluster,
    healthy: isHealthy ? "True" : "False",
    since: timeText(sinceMs),
    ...(lostAtMs === undefined ? {} : { lostAt: timeText(lostAtMs) }),
    reason,
    message: shortened(message, maxMessageLength),
    addresses: [...addresses],
  };
}

function findingOf({ host, state, outcome, leftOut = [] }: TellHost, spec: DomainNameSpec): Finding {
  const { active, clusters } = state;
  if (clusters.length === 0) return not("NoCluster", `No Gateway has ${host} in a cluster.`);
  if (active.length === 0) return not("NoAddress", `${host} has no address in any cluster yet.`);
  if (outcome === undefined) return not("RecordPending", `The records of ${host} have yet to be written.`);
  if (outcome.kind === "pending") return not("RecordPending", outcome.message);
  if (outcome.kind === "foreign") {
    const message = `${host} has records of somebody else, which are left alone: ${outcome.has}.`;
    return not("RecordForeign", message);
  }
  if (leftOut.length > 0) {
    const led = active.filter((name) => !leftOut.includes(name)).join(", ");
    const message = `It leads to ${led}, and not to ${leftOut.join(", ")}: a load balancer with a name alone has no place beside others; use the policy single, or weighted with Route 53.`;
    return not("NameAlone", message);
  }
  return whereItLeads(host, state, spec);
}

/** Its records are there. */
function whereItLeads(host: string, { active, clusters }: HostState, spec: DomainNameSpec): Finding {
  const names = active.join(", ");
  const members = clusters.filter(({ cluster }) => active.includes(cluster));
  const silent = members.find(({ isHealthy }) => !isHealthy);
  const why = silent === undefined ? "" : ` ${silent.cluster}: ${silent.message}`;
  if (clusters.every(({ isHealthy }) => !isHealthy)) {
    return not(
      "NoHealthyCluster",
      `${host} answers in no cluster; its records still lead to ${names}.${why}`,
    );
  }
  if (silent !== undefined) {
    const { after } = spec.failover;
    return not("NotReachable", `${host} leads to ${names}, until it is lost for ${after}.${why}`);
  }
  const lost = clusters.filter(
    ({ cluster, lostAtMs }) => lostAtMs !== undefined && isMissed(cluster, clusters, members, spec),
  );
  if (lost.length === 0) return { ready: "True", reason: "Reachable", message: `It leads to ${names}.` };
  const missed = lost.map(({ cluster }) => cluster).join(", ");
  return { ready: "True", reason: "FailedOver", message: `It leads to ${names}, in place of ${missed}.` };
}

/** One that records would lead to if it had not been lost; clusters are in order of preference. */
function isMissed(
  cluster: string,
  clusters: readonly KnownCluster[],
  members: readonly KnownCluster[],
  { policy, clusters: preferred }: DomainNameSpec,
): boolean {
  if (members.some((member) => member.cluster === cluster)) return false;
  if (policy !== "single") return true;
  const [first] = members;
  const index = clusters.findIndex((each) => each.cluster === cluster);
  return preferred !== undefined && first !== undefined && index < clusters.indexOf(first);
}

function not(reason: string, message: string): Finding {
  return { ready: "False", reason, message };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A host that no Gateway has any more, or that goes with its DomainName, while its records are still there. */
export function leavingStatus(status: HostStatus, why: string): HostStatus {
  const message = shortened(`Its records are to be removed. ${why}`, maxMessageLength);
  return { ...status, ready: "False", reason: "RecordPending", message };
}

/** Hosts in trouble first, and what they mean for the whole. */
export function summary(
  domain: string,
  hosts: readonly HostStatus[],
  tooMany: number,
): { readonly hosts: HostStatus[]; readonly ready: ReadyFinding } {
  const rank = ({ ready, reason }: HostStatus): number =>
    ready !== "True" ? 0 : reason === "FailedOver" ? 1 : 2;
  const sorted = hosts.toSorted((one, other) => rank(one) - rank(other) || (one.host < other.host ? -1 : 1));
  return { hosts: sorted, ready: readyOf(domain, sorted, tooMany) };
}

interface ReadyFinding {
  readonly status: HostStatus["ready"];
  readonly reason: string;
  readonly message: string;
}

function readyOf(domain: string, [worst, ...others]: readonly HostStatus[], tooMany: number): ReadyFinding {
  if (worst === undefined) {
    return { status: "True", reason: "NoHosts", message: `No Gateway has a host in ${domain}.` };
  }
  const { ready: status, reason, message } = worst;
  if (status === "True" && tooMany > 0) {
    const limit = `It has ${tooMany} hosts more than one DomainName can have; give some of them one with a longer domain.`;
    return { status: "False", reason: "TooManyHosts", message: limit };
  }
  return { status, reason, message: others.length === 0 ? message : `${worst.host}: ${message}` };
}

/** What people are told when records lead elsewhere; nothing of a host's first ones. */
export function switchEvent(
  host: string,
  before: HostState | undefined,
  { state, why }: Decision,
): { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string } | undefined {
  if (why === undefined || why === "Chosen" || state.active.length === 0) return undefined;
  const lost = before?.active.filter((name) => !state.active.includes(name)) ?? [];
  const silent = state.clusters.find(({ cluster }) => lost.includes(cluster));
  const because = why === "FailedOver" && silent !== undefined ? ` ${silent.cluster}: ${silent.message}` : "";
  return {
    type: why === "FailedOver" ? "Warning" : "Normal",
    reason: why,
    message: `${host} leads to ${state.active.join(", ")} now, and no longer to ${lost.join(", ") || "others alone"}.${because}`,
  };
}
