import { domainNameOf, type DomainName } from "@bowline/api";

import { healthRank, type HealthName } from "../../ui/health-mark.tsx";

export type DomainHost = DomainName["status"]["hosts"][number];
export type DomainCluster = DomainHost["clusters"][number];

/** One word for a DomainName: what is found of its hosts, or what is going on with it. */
export function domainHealth({ metadata, status }: Pick<DomainName, "metadata" | "status">): HealthName {
  if (metadata.deletedAt !== undefined) return "Progressing";
  const ready = status.conditions.find(({ type }) => type === "Ready");
  return ready === undefined ? "Progressing" : findingHealth(ready.status, ready.reason);
}

/** Reasons that somebody waits with: nothing was lost that had been there. */
const underWay: ReadonlySet<string> = new Set([
  "RecordPending",
  "OldRecords",
  "NoAddress",
  "NoCluster",
  "Deleting",
]);

/** The mark of a host, or of the worst of them. */
export function findingHealth(status: DomainHost["ready"], reason: string): HealthName {
  if (status === "True") return "Healthy";
  if (status === "Unknown") return "Unknown";
  return underWay.has(reason) ? "Missing" : "Degraded";
}

/** Why somebody has to look, as its condition says: empty while all is as it was meant. */
export function readyFinding({ status }: Pick<DomainName, "status">): {
  readonly reason: string;
  readonly message: string;
} {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const isWell = ready === undefined || (ready.status === "True" && !isElsewhere(ready.reason));
  return isWell ? { reason: "", message: "" } : ready;
}

/** It answers, but not from where it was meant to. */
export function isElsewhere(reason: string): boolean {
  return reason === "FailedOver";
}

/** Reasons for which its records are not there as they are meant to be. */
const unwritten: ReadonlySet<string> = new Set(["RecordPending", "RecordForeign"]);

/** Whether its records lead to its active clusters, or are yet to. */
export function isLed({ reason, active }: Pick<DomainHost, "reason" | "active">): boolean {
  return active.length > 0 && !unwritten.has(reason);
}

/** To sort by, what is worst first: in trouble, then led elsewhere, then as it was meant. */
function troubleRank(health: HealthName, reason: string): number {
  return healthRank[health] - (isElsewhere(reason) ? 0.5 : 0);
}

/** The same of a whole DomainName. */
export function domainRank(domain: Pick<DomainName, "metadata" | "status">): number {
  return troubleRank(domainHealth(domain), readyFinding(domain).reason);
}

/** Its hosts as they are now, those in trouble first. What is new is at the end of the status until it is looked at. */
export function sortedHosts({ status }: Pick<DomainName, "status">): DomainHost[] {
  return status.hosts.toSorted(byTrouble);
}

function byTrouble(one: DomainHost, other: DomainHost): number {
  const rank = ({ ready, reason }: DomainHost): number => troubleRank(findingHealth(ready, reason), reason);
  return rank(one) - rank(other) || (one.host < other.host ? -1 : 1);
}

/** Those that have all words of a filter in their name, reason or clusters. */
export function filteredHosts(hosts: readonly DomainHost[], filter: string): DomainHost[] {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  return hosts.filter(({ host, reason, active }) => {
    const text = [host, reason, ...active].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Where the records of its hosts lead, and how many to each: the cluster with most of them first. */
export function leadsTo({
  status,
}: Pick<DomainName, "status">): (readonly [cluster: string, hosts: number])[] {
  const counts = new Map<string, number>();
  for (const cluster of status.hosts.filter(isLed).flatMap(({ active }) => active)) {
    counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  }
  return [...counts].toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
}

export interface RecordsOfHost {
  readonly host: string;
  /** Which writes its records; undefined where none does. */
  readonly domain: DomainName | undefined;
  /** What it says of the host; undefined before it has looked. */
  readonly told: DomainHost | undefined;
}

/** For each host, which DomainName writes its records and where they lead. */
export function recordsOfHosts(hosts: readonly string[], domains: readonly DomainName[]): RecordsOfHost[] {
  return hosts.map((host) => {
    const domain = domainNameOf(host, domains);
    return { host, domain, told: domain?.status.hosts.find((each) => each.host === host) };
  });
}

export interface HostHere {
  /** Which DomainName writes its records. */
  readonly domain: string;
  readonly told: DomainHost;
  /** As the host is seen in this cluster; undefined where that is not known any more. */
  readonly here: DomainCluster | undefined;
}

export interface HostsOfCluster {
  /** Their records lead there, or are to. */
  readonly leading: readonly HostHere[];
  /** Their records led there, until it did not answer. */
  readonly lost: readonly HostHere[];
}

/** The hosts whose records lead to a cluster, and those that it has lost; in trouble first. */
export function hostsOfCluster(domains: Iterable<DomainName>, cluster: string): HostsOfCluster {
  const all = [...domains]
    .flatMap(({ metadata, status }) =>
      status.hosts.map((told) => ({
        domain: metadata.name,
        told,
        here: told.clusters.find((each) => each.cluster === cluster),
      })),
    )
    .toSorted((one, other) => byTrouble(one.told, other.told));
  const isLeading = ({ told }: HostHere): boolean => told.active.includes(cluster);
  return {
    leading: all.filter(isLeading),
    lost: all.filter((each) => !isLeading(each) && isLost(each.here)),
  };
}

/** Taken out of the records because it does not answer; one that answers is kept for when it is needed. */
function isLost(here: DomainCluster | undefined): boolean {
  return here?.lostAt !== undefined && here.healthy === "False";
}

/** What is known of a host in a cluster, and whether it is known for how long: that begins with an answer, or without one. */
export function answerWords({ healthy, reason }: Pick<DomainCluster, "healthy" | "reason">): {
  readonly words: string;
  readonly isTimed: boolean;
} {
  if (healthy === "True") {
    return reason === "Reachable"
      ? { words: "has answered", isTimed: true }
      : { words: "has been ready, by what its agent says,", isTimed: true };
  }
  if (reason === "NotReachable") return { words: "has not answered", isTimed: true };
  return { words: reason === "Leaving" ? "is being left" : "cannot be asked", isTimed: false };
}

const policies: Readonly<Record<DomainName["spec"]["policy"], string>> = {
  single: "one cluster, and another when that is lost",
  all: "all clusters that answer",
  weighted: "all clusters that answer, by weight",
  latency: "the cluster that is nearest to who asks",
};

/** Where the records of a host lead, in words. */
export function policyWords(policy: DomainName["spec"]["policy"]): string {
  return policies[policy];
}

/** Who is told of its records: the name server, or the hosted zone. */
export function providerWords({ provider, rfc2136, route53 }: DomainName["spec"]): string {
  if (provider === "rfc2136") return `dynamic updates (RFC 2136) of ${rfc2136?.server ?? "a name server"}`;
  return `Route 53, ${route53?.hostedZone === undefined ? "the public zone of that name" : `hosted zone ${route53.hostedZone}`}`;
}
