import { isIP } from "node:net";

import type { DomainNameSpec } from "@bowline/api";
import { BowlineError, parseDurationMs } from "@bowline/core";

import type { KnownCluster } from "./decide-host.ts";
import type { RecordSet } from "@bowline/dns";

export interface RecordRules extends Pick<DomainNameSpec, "policy" | "weights" | "regions" | "ttl"> {
  /** Regions that Clusters have by themselves. */
  readonly knownRegions: ReadonlyMap<string, string>;
}

/** The records that lead a host to clusters: one set of answers for everybody, or one for each cluster. */
export function recordSets(clusters: readonly KnownCluster[], rules: RecordRules): RecordSet[] {
  const ttlSeconds = Math.round((parseDurationMs(rules.ttl) ?? 0) / 1_000);
  if (rules.policy === "single" || rules.policy === "all") {
    return setsFor(inTurn(clusters), ttlSeconds);
  }
  return clusters.flatMap(({ cluster, addresses }) => {
    const variant = { id: cluster, ...shareOf(cluster, rules) };
    return setsFor(addresses, ttlSeconds).map((set) => ({ ...set, variant }));
  });
}

/** The first address of each cluster, then the second of each: of what is too much, none loses all. */
function inTurn(clusters: readonly KnownCluster[]): string[] {
  const most = Math.max(0, ...clusters.map(({ addresses }) => addresses.length));
  return Array.from({ length: most }, (_, at) =>
    clusters.flatMap(({ addresses }) => addresses[at] ?? []),
  ).flat();
}

/** Clusters that the records do not lead to, though they are to: a name has no place beside addresses or another name. */
export function leftOut(clusters: readonly KnownCluster[], sets: readonly RecordSet[]): string[] {
  const values = new Set(sets.flatMap((set) => set.values));
  return clusters
    .filter(({ addresses }) => !addresses.some((address) => values.has(address)))
    .map(({ cluster }) => cluster);
}

/** As many as zones take in one set; an answer with more would fit into no packet anyway. */
const mostValues = 100;

/** Names of load balancers stand alone, so they count where there is no address. */
function setsFor(addresses: readonly string[], ttlSeconds: number): RecordSet[] {
  const unique = [...new Set(addresses)];
  const of = (type: "A" | "AAAA", family: 4 | 6): RecordSet[] => {
    const values = unique
      .filter((address) => isIP(address) === family)
      .slice(0, mostValues)
      .toSorted();
    return values.length === 0 ? [] : [{ type, values, ttlSeconds }];
  };
  const sets = [...of("A", 4), ...of("AAAA", 6)];
  const [name] = unique;
  return sets.length > 0 || name === undefined ? sets : [{ type: "CNAME", values: [name], ttlSeconds }];
}

function shareOf(
  cluster: string,
  { policy, weights = {}, regions = {}, knownRegions }: RecordRules,
): { readonly weight: number } | { readonly region: string } {
  if (policy === "weighted") return { weight: weights[cluster] ?? 1 };
  const region = regions[cluster] ?? knownRegions.get(cluster);
  if (region !== undefined) return { region };
  throw new BowlineError(
    "InvalidArgument",
    `Nobody knows in which region cluster ${cluster} is; name it in spec.regions.`,
  );
}

const maxTextLength = 512;

/** As a zone file has them: `60 A 192.0.2.1`, with the cluster and its share where there are several answers. */
export function recordTexts(sets: readonly RecordSet[]): string[] {
  return sets.flatMap(({ type, values, ttlSeconds, variant }) =>
    values.map((value) =>
      `${ttlSeconds} ${type} ${value}${variantText(variant)}`.slice(0, maxTextLength).toWellFormed(),
    ),
  );
}

function variantText(variant: RecordSet["variant"]): string {
  if (variant === undefined) return "";
  const { id, weight, region } = variant;
  return ` (${id}, ${weight === undefined ? region : `weight ${weight}`})`;
}
