import { DomainName, type Cluster } from "@bowline/api";
import { LruMap } from "@bowline/core";
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

/** How soon it is looked again whether DNS records still lead to a cluster that goes. */
export const recordsMs = 1_000;
const mostClusters = 1_000;

/** Clusters that are being deleted, and whether records have yet to leave them for another that has the same host. */
export class LedClusters {
  readonly #objects: Pick<Store["objects"], "list">;
  /** Every workload of such a cluster asks. */
  readonly #answers = new LruMap<string, { readonly atMs: number; readonly isLed: Promise<boolean> }>(
    mostClusters,
  );

  constructor(objects: Pick<Store["objects"], "list">) {
    this.#objects = objects;
  }

  async awaitsRecords({ metadata: { id, name, deletedAt } }: Cluster, nowMs: number): Promise<boolean> {
    if (deletedAt === undefined || nowMs - Date.parse(deletedAt) >= recordPatienceMs) return false;
    const known = this.#answers.get(id);
    if (known !== undefined && Math.abs(nowMs - known.atMs) < recordsMs) return known.isLed;
    const isLed = this.#look(name);
    this.#answers.set(id, { atMs: nowMs, isLed });
    return isLed;
  }

  async #look(name: string): Promise<boolean> {
    return (await findObjects(this.#objects, DomainName)).some(({ status }) =>
      status.hosts.some(
        (host) => host.clusters.some(({ cluster }) => cluster !== name) && isLedTo(host, name),
      ),
    );
  }
}
