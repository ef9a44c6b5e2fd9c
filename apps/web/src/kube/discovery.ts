import {
  aggregatedAccept,
  joinApis,
  parseAggregated,
  parseGroups,
  readGroups,
  type DiscoveredApis,
  type DiscoveredResource,
} from "@bowline/kube/shapes";

import { request, RequestFailed } from "../live/request.ts";
import { clusterPath } from "./places.ts";

/** Asks one address of a cluster. */
export type Ask = (path: string, accept: string) => Promise<unknown>;

/** All that a cluster offers: in two requests where it can tell so, else with one for each group and version. */
export async function readApis(ask: Ask): Promise<DiscoveredApis> {
  return joinApis(await Promise.all([readRoot("/api", ask), readRoot("/apis", ask)]));
}

async function readRoot(root: string, ask: Ask): Promise<DiscoveredApis> {
  const answer = await ask(root, aggregatedAccept);
  const read = (group: string, version: string): Promise<unknown> =>
    ask(group === "" ? `/api/${version}` : `/apis/${group}/${version}`, "application/json");
  return parseAggregated(answer) ?? readGroups(parseGroups(answer), read);
}

/** Through the proxy. A cluster that has only one of the two roots is not broken. */
export function askCluster(cluster: string, signal: AbortSignal): Ask {
  return async (path, accept) => {
    try {
      return await request<unknown>(clusterPath(cluster, path), { headers: { accept }, signal });
    } catch (error) {
      if (error instanceof RequestFailed && error.failure.status === 404 && error.failure.hop === undefined)
        return {};
      throw error;
    }
  };
}

/** Kinds that belong together, for a list that people look through. */
export interface KindGroup {
  readonly name: string;
  readonly kinds: readonly DiscoveredResource[];
}

/** Groups by what people look for; what is in none of them goes by its API group. */
const wellKnown: readonly (readonly [
  name: string,
  groups: readonly string[],
  resources: readonly string[],
])[] = [
  [
    "Workloads",
    ["", "apps", "batch"],
    [
      "pods",
      "deployments",
      "statefulsets",
      "daemonsets",
      "replicasets",
      "jobs",
      "cronjobs",
      "replicationcontrollers",
    ],
  ],
  ["Configuration", [""], ["configmaps", "secrets", "resourcequotas", "limitranges"]],
  [
    "Network",
    ["", "networking.k8s.io", "discovery.k8s.io"],
    ["services", "ingresses", "ingressclasses", "networkpolicies", "endpointslices", "endpoints"],
  ],
  [
    "Storage",
    ["", "storage.k8s.io"],
    [
      "persistentvolumeclaims",
      "persistentvolumes",
      "storageclasses",
      "volumeattachments",
      "csidrivers",
      "csinodes",
    ],
  ],
  [
    "Access",
    ["", "rbac.authorization.k8s.io"],
    ["serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings"],
  ],
  ["Cluster", [""], ["nodes", "namespaces", "events"]],
];

/**
 * The kinds of a cluster that can be listed, each once, in the version that the server prefers. Those that everybody
 * knows come first, in the order in which people look for them; the others follow by their API group.
 */
export function kindGroups(apis: DiscoveredApis): KindGroup[] {
  const kinds = listedKinds(apis);
  const taken = new Set<DiscoveredResource>();
  const known = wellKnown.map(([name, groups, resources]) => {
    const found = resources.flatMap((plural) =>
      kinds.filter((kind) => kind.plural === plural && groups.includes(kind.group)).slice(0, 1),
    );
    for (const kind of found) taken.add(kind);
    return { name, kinds: found };
  });
  const rest = Map.groupBy(
    kinds.filter((kind) => !taken.has(kind)),
    ({ group }) => (group === "" ? "core" : group),
  );
  const others = [...rest]
    .map(([name, ofGroup]) => ({
      name,
      kinds: ofGroup.toSorted((a, b) => a.kind.localeCompare(b.kind, "en")),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  return [...known, ...others].filter(({ kinds: ofGroup }) => ofGroup.length > 0);
}

function listedKinds({ groups, resources }: DiscoveredApis): DiscoveredResource[] {
  const versions = new Map(groups.map(({ name, versions: preferred }) => [name, preferred]));
  const byPlace = Map.groupBy(
    resources.filter(({ verbs }) => verbs.includes("list")),
    ({ group, plural }) => `${group}/${plural}`,
  );
  const rank = ({ group, version }: DiscoveredResource): number => versions.get(group)?.indexOf(version) ?? 0;
  return [...byPlace.values()].flatMap((same) => same.toSorted((a, b) => rank(a) - rank(b)).slice(0, 1));
}
