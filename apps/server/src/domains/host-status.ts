import { isDeepStrictEqual } from "node:util";

import type { DomainName, DomainNameSpec } from "@bowline/api";
import { shortened } from "@bowline/core";

import type { Decision, HostState, KnownCluster } from "./decide-host.ts";
import type { RecordOutcome, ZonePlace } from "./write-records.ts";

export type HostStatus = DomainName["status"]["hosts"][number];
/** A change of where records lead that nobody has been told of yet. */
export type Switching = NonNullable<HostStatus["switching"]>;

/** What was decided for a host, and what came of it. */
export interface TellHost {
  readonly host: string;
  readonly state: HostState;
  /** Missing before anything was written. */
  readonly outcome: RecordOutcome | undefined;
  readonly records: readonly string[];
  /** Active clusters that the records cannot lead to. */
  readonly leftOut?: readonly string[];
  /** Why there are still records where it was before, though they are where they are to be. */
  readonly notLeft?: string | undefined;
  readonly place: ZonePlace | undefined;
  readonly oldPlaces: readonly ZonePlace[];
  readonly switching: Switching | undefined;
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
  const { host, state, records, switching } = told;
  const finding = findingOf(told, spec);
  return {
    host,
    ...finding,
    message: shortened(finding.message, maxMessageLength),
    ...writtenState(state),
    records: [...records],
    ...writtenPlaces(told),
    ...(switching === undefined ? {} : { switching }),
  };
}

/** Where records of a host may be, as it is written down. */
function writtenPlaces({
  place,
  oldPlaces,
}: Pick<TellHost, "place" | "oldPlaces">): Pick<HostStatus, "place" | "oldPlaces"> {
  return {
    ...(place === undefined ? {} : { place }),
    ...(oldPlaces.length === 0 ? {} : { oldPlaces: [...oldPlaces] }),
  };
}

/** The state of a host as it is written down. */
function writtenState({
  active,
  sinceMs,
  clusters,
}: HostState): Pick<HostStatus, "active" | "since" | "clusters"> {
  return { active: [...active], since: timeText(sinceMs), clusters: clusters.map(clusterStatus) };
}

/** Of what was decided nothing has come yet: what was found before is still so. */
export function intendedStatus(
  {
    host,
    before,
    decision: { state },
    place,
    oldPlaces,
    switching,
  }: Pick<TellHost, "host" | "place" | "oldPlaces" | "switching"> & {
    readonly before: HostStatus | undefined;
    readonly decision: Pick<Decision, "state">;
  },
  spec: DomainNameSpec,
): HostStatus {
  if (before === undefined) {
    const nothing = { outcome: undefined, records: [] };
    return hostStatus({ host, state, ...nothing, place, oldPlaces, switching }, spec);
  }
  const { switching: _, place: __, oldPlaces: ___, ...rest } = before;
  return {
    ...rest,
    ...writtenState(state),
    ...writtenPlaces({ place, oldPlaces }),
    ...(switching === undefined ? {} : { switching }),
  };
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

function findingOf({ host, state, outcome, leftOut = [], notLeft }: TellHost, spec: DomainNameSpec): Finding {
  const { active, clusters } = state;
  if (clusters.length === 0) return not("NoCluster", `No Gateway has ${host} in a cluster.`);
  if (active.length === 0) {
    const [first] = clusters;
    const why = first === undefined || first.isHealthy ? "" : ` ${whyNot(first)}`;
    return not("NoAddress", `${host} has no address in any cluster yet.${why}`);
  }
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
  const finding = whereItLeads(host, state, spec);
  return finding.ready === "True" && notLeft !== undefined ? not("OldRecords", notLeft) : finding;
}

/** Its records are there. */
function whereItLeads(host: string, { active, clusters }: HostState, spec: DomainNameSpec): Finding {
  const names = active.join(", ");
  const members = clusters.filter(({ cluster }) => active.includes(cluster));
  const silent = members.find(({ isHealthy }) => !isHealthy);
  const why = silent === undefined ? "" : ` ${whyNot(silent)}`;
  if (clusters.every(({ isHealthy }) => !isHealthy)) {
    const what = clusters.some(wasAsked) ? "answers in no cluster" : "can be asked in no cluster";
    return not("NoHealthyCluster", `${host} ${what}; its records still lead to ${names}.${why}`);
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

/** Of what is not programmed, or cannot be reached from here, nobody knows whether it would answer. */
function wasAsked({ reason }: KnownCluster): boolean {
  return reason === "NotReachable";
}

function whyNot(known: KnownCluster): string {
  const { cluster, reason, message } = known;
  return wasAsked(known) || reason === "Leaving"
    ? `${cluster}: ${message}`
    : `${cluster} cannot be asked: ${message}`;
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
export function leavingStatus(
  status: HostStatus,
  { why, ...places }: Pick<TellHost, "place" | "oldPlaces"> & { readonly why: string },
): HostStatus {
  const { place: _, oldPlaces: __, ...rest } = status;
  const message = shortened(`Its records are to be removed. ${why}`, maxMessageLength);
  return { ...rest, ...writtenPlaces(places), ready: "False", reason: "RecordPending", message };
}

interface WholeDomain {
  readonly domain: string;
  /** How many hosts it has beyond those. */
  readonly tooMany: number;
  /** Whether hosts could have records, where there are none. */
  readonly zone: RecordOutcome | undefined;
}

/** Hosts in trouble first, and what they mean for the whole. */
export function summary(
  whole: WholeDomain,
  hosts: readonly HostStatus[],
): { readonly hosts: HostStatus[]; readonly ready: ReadyFinding } {
  const rank = ({ ready, reason }: HostStatus): number =>
    ready !== "True" ? 0 : reason === "FailedOver" ? 1 : 2;
  const sorted = hosts.toSorted((one, other) => rank(one) - rank(other) || (one.host < other.host ? -1 : 1));
  return { hosts: sorted, ready: readyOf(whole, sorted) };
}

interface ReadyFinding {
  readonly status: HostStatus["ready"];
  readonly reason: string;
  readonly message: string;
}

function readyOf(
  { domain, tooMany, zone }: WholeDomain,
  [worst, ...others]: readonly HostStatus[],
): ReadyFinding {
  if (worst === undefined) {
    if (zone?.kind === "pending") {
      const message = `No Gateway has a host in ${domain}, and none could have records: ${zone.message}`;
      return { status: "False", reason: "RecordPending", message };
    }
    return { status: "True", reason: "NoHosts", message: `No Gateway has a host in ${domain}.` };
  }
  const { ready: status, reason, message } = worst;
  if (status === "True" && tooMany > 0) {
    const limit = `It has ${tooMany} hosts more than one DomainName can have; give some of them one with a longer domain.`;
    return { status: "False", reason: "TooManyHosts", message: limit };
  }
  return { status, reason, message: others.length === 0 ? message : `${worst.host}: ${message}` };
}

/**
 * What there is to tell of a host once its records are written: what was decided now, or before, while they could not be.
 * Undefined when they lead where they did.
 */
export function switchingOf(
  before: HostStatus | undefined,
  { state, why }: Pick<Decision, "state" | "why">,
): Switching | undefined {
  const pending = before?.switching;
  if (why === undefined) return pending;
  const from = pending?.from ?? before?.active ?? [];
  if (isDeepStrictEqual(from.toSorted(), state.active.toSorted())) return undefined;
  const lost = state.clusters.find(
    ({ cluster }) => from.includes(cluster) && !state.active.includes(cluster),
  );
  const message = why === "FailedOver" && lost !== undefined ? whyNot(lost) : "";
  return { reason: why, from: [...from], message: shortened(message, 2 * maxMessageLength) };
}

/** What people are told when records lead elsewhere; nothing of a host's first ones. */
export function switchEvent(
  host: string,
  active: readonly string[],
  { reason, from, message }: Switching,
): { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string } | undefined {
  if (reason === "Chosen" || active.length === 0) return undefined;
  const lost = from.filter((name) => !active.includes(name));
  const why = message === "" ? "" : ` ${message}`;
  return {
    type: reason === "FailedOver" ? "Warning" : "Normal",
    reason,
    message: `${host} leads to ${active.join(", ")} now, and no longer to ${lost.join(", ") || "others alone"}.${why}`,
  };
}
