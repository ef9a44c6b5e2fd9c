import { DomainName, Gateway } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";

/** So long whoever comes by a DNS record still finds the routes. */
const patienceMs = 60_000;

/** Routes of a Gateway that are to go. */
export interface GoingRoutes {
  /** Its name. */
  readonly gateway: string;
  readonly hosts: readonly string[];
  /** Where they go. */
  readonly clusters: readonly string[];
  /** Undefined for just now. */
  readonly since: string | undefined;
}

export interface KnownRecords {
  readonly domains: readonly DomainName[];
  /** Those that have one of the hosts. */
  readonly gateways: readonly Gateway[];
}

/** What is known of the records of hosts. */
export async function recordsOf(objects: ObjectStore, hosts: readonly string[]): Promise<KnownRecords> {
  const domains = hosts.length === 0 ? [] : await findObjects(objects, DomainName);
  if (domains.length === 0) return { domains, gateways: [] };
  const sharing = await Promise.all(
    hosts.map((host) => findObjects(objects, Gateway, { fields: `spec.hosts=${host}` })),
  );
  return { domains, gateways: sharing.flat() };
}

/** The hosts of routes that are to go whose records, by a DomainName, have yet to lead elsewhere, or to be removed. */
export function hostsWithRecords(
  { gateway, hosts, clusters, since }: GoingRoutes,
  { domains, gateways }: KnownRecords,
  nowMs: number,
): string[] {
  if (since !== undefined && nowMs - Date.parse(since) >= patienceMs) return [];
  const others = gateways.filter(({ metadata }) => metadata.name !== gateway);
  return hosts.filter((host) =>
    clusters.some(
      (cluster) =>
        !others.some((other) => staysIn(other, host, cluster)) &&
        domains.some((domain) => leadsTo(domain, host, cluster)),
    ),
  );
}

/** Then records lead there on, whatever others do. */
function staysIn({ metadata, spec, status }: Gateway, host: string, cluster: string): boolean {
  return (
    metadata.deletedAt === undefined &&
    spec.hosts.includes(host) &&
    status.clusters.some((each) => each.cluster === cluster && each.reason !== "Leaving")
  );
}

/** What it means to write counts as well as what it has written: which of the two is there nobody knows in between. */
function leadsTo({ status }: DomainName, host: string, cluster: string): boolean {
  const told = status.hosts.find((each) => each.host === host);
  if (told?.place === undefined) return false;
  if (told.active.includes(cluster)) return true;
  const { addresses = [] } = told.clusters.find((each) => each.cluster === cluster) ?? {};
  // `60 A 192.0.2.1`, maybe with more behind it.
  return told.records.some((record) => addresses.includes(record.split(" ")[2] ?? ""));
}
