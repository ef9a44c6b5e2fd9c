import { DomainName, Gateway } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import { isLedTo, recordPatienceMs } from "../workloads/led-clusters.ts";

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
  if (since !== undefined && nowMs - Date.parse(since) >= recordPatienceMs) return [];
  const others = gateways.filter(({ metadata }) => metadata.name !== gateway);
  return hosts.filter((host) =>
    clusters.some(
      (cluster) =>
        !others.some((other) => staysIn(other, host, cluster)) &&
        domains.some(({ status }) =>
          status.hosts.some((told) => told.host === host && isLedTo(told, cluster)),
        ),
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
