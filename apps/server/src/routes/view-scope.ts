import type { ClusterView } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { asRecord, BowlineError } from "@bowline/core";
import type { ViewLogItem } from "@bowline/store";

import { withoutGrant } from "../proxy/admission/admit-request.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";

/** A cluster that somebody may see. */
interface SeenCluster {
  readonly name: string;
  /** The only namespaces that they may; undefined for all, and for the cluster as a whole. */
  readonly namespaces: ReadonlySet<string> | undefined;
}

/** Views whose numbers are of single namespaces, and which one a number is of. Those of all others are of them all. */
const byNamespace: Readonly<Record<string, (number: string) => string>> = {
  "pods-by-namespace": (number) => number.slice(0, Math.max(number.lastIndexOf("/"), 0)),
  restarts: (number) => number,
};

/** The clusters whose views somebody may see, by their AccessGrants of one moment. */
export class ViewScope {
  /** Who sees the same has the same. */
  readonly key: string;
  /** How many of the clusters that were asked for they may not see. */
  readonly withheldClusters: number;
  readonly #clusters: ReadonlyMap<string, SeenCluster>;

  /** `NotFound` for a cluster that is none, `Forbidden` for one that the asker has no AccessGrant for. */
  static of(
    grants: Pick<GrantCache, "clusters" | "accessTo">,
    identity: Identity,
    wanted: string | undefined,
  ): ViewScope {
    if (wanted !== undefined && grants.accessTo(identity, wanted).length === 0) {
      throw new BowlineError("Forbidden", withoutGrant(identity, wanted));
    }
    const asked = grants
      .clusters()
      .filter(({ metadata }) => wanted === undefined || metadata.name === wanted);
    const seen = asked.flatMap(({ metadata: { id, name } }): [string, SeenCluster][] => {
      const accesses = grants.accessTo(identity, name);
      if (accesses.length === 0) return [];
      const isWhole = accesses.some(({ namespaces }) => namespaces === undefined);
      const namespaces = new Set(accesses.flatMap((access) => access.namespaces ?? []));
      return [[id, { name, namespaces: isWhole ? undefined : namespaces }]];
    });
    return new ViewScope(new Map(seen), asked.length - seen.length);
  }

  private constructor(clusters: ReadonlyMap<string, SeenCluster>, withheldClusters: number) {
    this.#clusters = clusters;
    this.withheldClusters = withheldClusters;
    this.key = JSON.stringify(
      Array.from(clusters, ([id, { name, namespaces }]) => [
        id,
        name,
        namespaces === undefined ? null : [...namespaces].sort(),
      ]),
    );
  }

  get clusterIds(): string[] {
    return [...this.#clusters.keys()];
  }

  /** The name of a cluster; undefined when nothing of it may be seen. */
  nameOf(clusterId: string): string | undefined {
    return this.#clusters.get(clusterId)?.name;
  }

  /** Whether a view is seen with all its numbers, as everybody else sees it who may. */
  isWhole({ clusterId }: ViewLogItem): boolean {
    const cluster = this.#clusters.get(clusterId);
    return cluster !== undefined && cluster.namespaces === undefined;
  }

  /** The part of a view that may be seen; undefined when none of it may. */
  show(item: ViewLogItem): ClusterView | undefined {
    const cluster = this.#clusters.get(item.clusterId);
    const namespaceOf = Object.hasOwn(byNamespace, item.name) ? byNamespace[item.name] : undefined;
    if (cluster === undefined) return undefined;
    const { namespaces } = cluster;
    if (namespaces !== undefined && namespaceOf === undefined) return undefined;
    const numbers = Object.entries(asRecord(JSON.parse(item.content ?? "{}"))).filter(
      (entry): entry is [string, number] => {
        const [number, value] = entry;
        if (typeof value !== "number") return false;
        return namespaces === undefined || namespaces.has(namespaceOf?.(number) ?? "");
      },
    );
    return {
      cluster: cluster.name,
      name: item.name,
      updatedAt: new Date(item.updatedAtMs).toISOString(),
      numbers: Object.fromEntries(numbers),
    };
  }
}
