import { DomainName, type Cluster } from "@bowline/api";
import type { Store } from "@bowline/store";

import { findObjects } from "./find-objects.ts";

type HostStatus = DomainName["status"]["hosts"][number];

/** So long whoever comes by a DNS record still finds what it leads to. */
export const recordPatienceMs = 60_000;

/** What is meant to be written counts as well as what was: which of the two is there nobody knows in between. */
export function isLedTo({ place, active, clusters, records }: HostStatus, cluster: string): boolean {
  if (place === undefined) return false;
  if (active.includes(cluster)) return true;
  const { addresses = [] } = clusters.find((each) => each.cluster === cluster) ?? {};
  // `60 A 192.0.2.1`, maybe with more behind it.
  return records.some((record) => addresses.includes(record.split(" ")[2] ?? ""));
}

/** Whether records have yet to leave a cluster that is being deleted, for another that has the same host. */
export async function awaitsRecords(
  objects: Pick<Store["objects"], "list">,
  { metadata: { name, deletedAt } }: Cluster,
  nowMs: number,
): Promise<boolean> {
  if (deletedAt === undefined || nowMs - Date.parse(deletedAt) >= recordPatienceMs) return false;
  return (await findObjects(objects, DomainName)).some(({ status }) =>
    status.hosts.some((host) => host.clusters.some(({ cluster }) => cluster !== name) && isLedTo(host, name)),
  );
}
