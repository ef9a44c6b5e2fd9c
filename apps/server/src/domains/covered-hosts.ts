import {
  Cluster,
  DomainName,
  domainNameLimits,
  domainNameOf,
  Gateway,
  isInDomain,
  type GatewaySpec,
} from "@bowline/api";
import type { Store } from "@bowline/store";

import type { ClusterStatus } from "../gateways/check.ts";
import { inOrder } from "../gateways/entry-members.ts";
import { findObjects } from "../workloads/find-objects.ts";

/** One Gateway with the host, in one cluster. */
export interface GatewayThere {
  readonly spec: GatewaySpec;
  readonly status: ClusterStatus;
}

/** A cluster in which Gateways have the host. */
export interface HostCluster {
  readonly cluster: string;
  readonly isConnected: boolean;
  /** The Cluster is being deleted, or every Gateway is leaving it. */
  readonly isLeaving: boolean;
  /** Those that stay there and use the entry of the oldest of them: records lead to one entry of a cluster. */
  readonly gateways: readonly GatewayThere[];
}

export interface CoveredHost {
  readonly host: string;
  readonly clusters: readonly HostCluster[];
}

export interface CoveredHosts {
  readonly hosts: readonly CoveredHost[];
  /** How many more there are than one object can have. */
  readonly tooMany: number;
  /** Regions that Clusters have by themselves. */
  readonly knownRegions: ReadonlyMap<string, string>;
}

/** The hosts of live Gateways whose records a DomainName writes, with the clusters that they may lead to. */
export async function coveredHosts(
  objects: Pick<Store["objects"], "get" | "list">,
  domain: DomainName,
): Promise<CoveredHosts> {
  const domains = await findObjects(objects, DomainName);
  const gateways = new Map<string, Gateway[]>();
  for (const gateway of await findObjects(objects, Gateway)) {
    if (gateway.metadata.deletedAt !== undefined) continue;
    for (const host of gateway.spec.hosts) {
      if (!isInDomain(host, domain.spec.domain)) continue;
      if (domainNameOf(host, domains)?.metadata.name !== domain.metadata.name) continue;
      gateways.set(host, [...(gateways.get(host) ?? []), gateway]);
    }
  }
  const clusters = await readClusters(objects, [...gateways.values()].flat());
  // Those that have records keep them; of the others the first by name.
  const known = new Set(domain.status.hosts.map(({ host }) => host));
  const names = [...gateways.keys()].toSorted(
    (one, other) => Number(known.has(other)) - Number(known.has(one)) || (one < other ? -1 : 1),
  );
  const knownRegions = new Map(
    [...clusters].flatMap(([name, { spec }]) => (spec.region === undefined ? [] : [[name, spec.region]])),
  );
  return {
    hosts: names.slice(0, domainNameLimits.hosts).map((host) => ({
      host,
      clusters: hostClusters(gateways.get(host) ?? [], domain, clusters),
    })),
    tooMany: Math.max(0, names.length - domainNameLimits.hosts),
    knownRegions,
  };
}

async function readClusters(
  objects: Pick<Store["objects"], "get">,
  gateways: readonly Gateway[],
): Promise<ReadonlyMap<string, Cluster>> {
  const found = new Map<string, Cluster>();
  for (const name of new Set(gateways.flatMap(({ status }) => status.clusters.map((each) => each.cluster)))) {
    const cluster = await objects.get(Cluster, name);
    if (cluster !== undefined) found.set(name, cluster);
  }
  return found;
}

function hostClusters(
  gateways: readonly Gateway[],
  { spec: { clusters: wanted } }: DomainName,
  clusters: ReadonlyMap<string, Cluster>,
): HostCluster[] {
  const there = new Map<string, GatewayThere[]>();
  // The oldest first: what it has stays, whoever comes.
  for (const { spec, status } of gateways.toSorted((gateway, other) =>
    inOrder({ gateway }, { gateway: other }),
  )) {
    for (const each of status.clusters) {
      if (wanted !== undefined && !wanted.includes(each.cluster)) continue;
      const staying = there.get(each.cluster) ?? [];
      there.set(each.cluster, isLeaving(each) ? staying : [...staying, { spec, status: each }]);
    }
  }
  const found = [...there].map(([cluster, staying]): HostCluster => {
    const object = clusters.get(cluster);
    const isGoing = object === undefined || object.metadata.deletedAt !== undefined;
    return {
      cluster,
      isConnected: object?.status.agent?.connectedSince !== undefined,
      isLeaving: isGoing || staying.length === 0,
      gateways: ofOneEntry(staying),
    };
  });
  const rank = ({ cluster }: HostCluster): number => wanted?.indexOf(cluster) ?? 0;
  return found
    .toSorted((one, other) => rank(one) - rank(other) || (one.cluster < other.cluster ? -1 : 1))
    .slice(0, domainNameLimits.clusters);
}

/** Another entry answers under other addresses, for its own paths only: it would get requests that it has no answer to. */
function ofOneEntry(gateways: readonly GatewayThere[]): readonly GatewayThere[] {
  const first = gateways.find(({ status }) => status.class !== undefined);
  if (first === undefined) return gateways;
  return gateways.filter(
    ({ spec, status }) => status.class === first.status.class && spec.visibility === first.spec.visibility,
  );
}

function isLeaving({ reason }: ClusterStatus): boolean {
  return reason === "Leaving";
}
