import type { Gateway } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";

import { statusIn } from "./cluster-status.ts";
import { hostsWithRecords, recordsOf } from "./record-wait.ts";

type RoutedHost = NonNullable<Gateway["status"]["hosts"]>[number];

/** A route has no more. */
const maxHosts = 16;

/** The hosts of its spec, and those that were taken out of it and still have routes. */
export function routedHosts({ spec, status: { hosts: known = [] } }: Gateway): string[] {
  return [...new Set([...spec.hosts, ...known.map(({ host }) => host)])].slice(0, maxHosts);
}

/** The hosts that a Gateway has routes for from now on: one that was taken out of its spec stays while records lead to it. */
export async function hostsToRoute(
  objects: ObjectStore,
  { metadata, spec, status }: Gateway,
  nowMs: number,
): Promise<RoutedHost[]> {
  const taken = (status.hosts ?? []).filter(({ host }) => !spec.hosts.includes(host));
  const records = await recordsOf(
    objects,
    taken.map(({ host }) => host),
  );
  const clusters = status.clusters.map(({ cluster }) => cluster);
  const staying = taken.filter(({ host, leavingSince: since }) => {
    const going = { gateway: metadata.name, hosts: [host], clusters, since };
    return hostsWithRecords(going, records, nowMs).length > 0;
  });
  const now = new Date(nowMs).toISOString();
  return [
    ...spec.hosts.map((host) => ({ host })),
    ...staying.map(({ host, leavingSince = now }) => ({ host, leavingSince })),
  ].slice(0, maxHosts);
}

interface HeldQuestion {
  readonly gateway: Gateway;
  readonly clusters: readonly string[];
  readonly nowMs: number;
}

/** The hosts of a Gateway that is being deleted whose routes stay for now in its clusters. */
export async function heldHosts(
  objects: ObjectStore,
  { gateway, clusters, nowMs }: HeldQuestion,
): Promise<readonly string[]> {
  const { name, deletedAt: since } = gateway.metadata;
  const hosts = routedHosts(gateway);
  const records = await recordsOf(objects, hosts);
  return hostsWithRecords({ gateway: name, hosts, clusters, since }, records, nowMs);
}

/** Of the clusters that a Gateway leaves those where its routes stay for now, with the hosts that are led there. */
export async function heldClusters(
  objects: ObjectStore,
  { gateway, clusters, nowMs }: HeldQuestion,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { name } = gateway.metadata;
  const hosts = routedHosts(gateway);
  const records = await recordsOf(objects, clusters.length === 0 ? [] : hosts);
  const held = clusters.map((cluster) => {
    const since = statusIn(gateway.status, cluster)?.leavingSince;
    const going = { gateway: name, hosts, clusters: [cluster], since };
    return [cluster, hostsWithRecords(going, records, nowMs)] as const;
  });
  return new Map(held.filter(([, waiting]) => waiting.length > 0));
}
