import type { ResourceRegistry } from "../store/resource-registry.ts";
import { apiVersionOf, type GroupVersion, type ResourceType } from "../store/resource-type.ts";
import { parseAccept } from "./accept.ts";

const objectVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

interface SubresourceInfo {
  readonly name: string;
  readonly kind: GroupVersion & { readonly kind: string };
  readonly verbs: readonly string[];
}

/** `/api` */
export function coreVersions(address: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis` */
export function groupList(registry: ResourceRegistry): unknown {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups(registry).map((group) => groupOf(registry, group)),
  };
}

/** `/apis/GROUP` */
export function groupDocument(registry: ResourceRegistry, group: string): unknown {
  return groups(registry).includes(group)
    ? { kind: "APIGroup", apiVersion: "v1", ...groupOf(registry, group) }
    : undefined;
}

/** `/api/v1` and `/apis/GROUP/VERSION` */
export function resourceList(registry: ResourceRegistry, place: GroupVersion): unknown {
  const types = registry.servedIn(place);
  if (types.length === 0) return undefined;
  const resources = types.flatMap((type) => [
    {
      name: type.resource,
      singularName: type.singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs: verbsOf(type),
      ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
      ...(type.categories.length > 0 ? { categories: type.categories } : {}),
      ...(type.virtual ? {} : { storageVersionHash: storageHash(type) }),
    },
    ...subresourcesOf(registry, type, place).map(({ name, kind, verbs }) => ({
      name: `${type.resource}/${name}`,
      singularName: "",
      namespaced: type.namespaced,
      ...(apiVersionOf(kind) === apiVersionOf(place) ? {} : { group: kind.group, version: kind.version }),
      kind: kind.kind,
      verbs,
    })),
  ]);
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf(place),
    resources: resources.toSorted(byName),
  };
}

/** Whether the client asks for all of discovery in one document, and in which of its versions. */
export function aggregatedVersion(accept: string | undefined): "v2" | "v2beta1" | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== "application/json") continue;
    if (parameters.get("as") !== "APIGroupDiscoveryList" || parameters.get("g") !== "apidiscovery.k8s.io") {
      if (parameters.get("as") === undefined) return undefined;
      continue;
    }
    const version = parameters.get("v");
    if (version === "v2" || version === "v2beta1") return version;
  }
  return undefined;
}

/** `/api` or `/apis` with everything they serve inside. */
export function aggregatedDiscovery(
  registry: ResourceRegistry,
  core: boolean,
  version: "v2" | "v2beta1",
): unknown {
  const names = core ? [""] : groups(registry);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: names.map((group) => ({
      metadata: { ...(group === "" ? {} : { name: group }), creationTimestamp: null },
      versions: versionsOf(registry, group).map((each) => ({
        version: each,
        resources: registry
          .servedIn({ group, version: each })
          .map((type) => aggregatedResource(registry, type, { group, version: each })),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedResource(registry: ResourceRegistry, type: ResourceType, place: GroupVersion): unknown {
  const subresources = subresourcesOf(registry, type, place).map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind: kind,
    verbs,
  }));
  return {
    resource: type.resource,
    responseKind: { group: place.group, version: place.version, kind: type.kind },
    scope: type.namespaced ? "Namespaced" : "Cluster",
    singularResource: type.singular,
    verbs: verbsOf(type),
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

function verbsOf(type: ResourceType): readonly string[] {
  if (type.measured) return ["get", "list"];
  if (type.virtual) return ["create"];
  return type.deletesCollections ? objectVerbs : objectVerbs.filter((verb) => verb !== "deletecollection");
}

function subresourcesOf(
  registry: ResourceRegistry,
  type: ResourceType,
  place: GroupVersion,
): SubresourceInfo[] {
  const own = { ...place, kind: type.kind };
  const hasStatus = type.custom ? type.custom.get(place.version)?.hasStatus === true : type.hasStatus;
  return [
    ...(hasStatus ? [{ name: "status", kind: own, verbs: ["get", "patch", "update"] }] : []),
    ...(type.scale
      ? [
          {
            name: "scale",
            kind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: ["get", "patch", "update"],
          },
        ]
      : []),
    ...type.subresources.map(
      (name) => specialSubresource(registry, name) ?? { name, kind: own, verbs: ["get"] },
    ),
  ];
}

function specialSubresource(registry: ResourceRegistry, name: string): SubresourceInfo | undefined {
  const found = specialSubresources[name];
  if (found?.kind.group !== "policy") return found;
  // Evictions came to policy/v1 together with the budgets they ask.
  const hasV1 = registry.servedAt(found.kind, "poddisruptionbudgets") !== undefined;
  return hasV1 ? found : { ...found, kind: { ...found.kind, version: "v1beta1" } };
}

const specialSubresources: Readonly<Record<string, SubresourceInfo>> = {
  binding: { name: "binding", kind: { group: "", version: "v1", kind: "Binding" }, verbs: ["create"] },
  eviction: {
    name: "eviction",
    kind: { group: "policy", version: "v1", kind: "Eviction" },
    verbs: ["create"],
  },
  exec: {
    name: "exec",
    kind: { group: "", version: "v1", kind: "PodExecOptions" },
    verbs: ["create", "get"],
  },
  finalize: { name: "finalize", kind: { group: "", version: "v1", kind: "Namespace" }, verbs: ["update"] },
  proxy: {
    name: "proxy",
    kind: { group: "", version: "v1", kind: "ServiceProxyOptions" },
    verbs: ["create", "delete", "get", "patch", "update"],
  },
  log: { name: "log", kind: { group: "", version: "v1", kind: "Pod" }, verbs: ["get"] },
  token: {
    name: "token",
    kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
    verbs: ["create"],
  },
};

function groupOf(registry: ResourceRegistry, group: string): object {
  const versions = versionsOf(registry, group).map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function groups(registry: ResourceRegistry): string[] {
  return [...new Set(registry.places().map((place) => place.group))].filter((group) => group !== "");
}

/** Stable versions first, the newest of each first. */
function versionsOf(registry: ResourceRegistry, group: string): string[] {
  return registry
    .places()
    .filter((place) => place.group === group)
    .map((place) => place.version)
    .sort((left, right) => compareVersions(right, left));
}

export function compareVersions(left: string, right: string): number {
  const rank = (version: string): number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (!match) return [0, 0, 0];
    const stability = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
    return [stability, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [a, b] = [rank(left), rank(right)];
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return right < left ? -1 : right > left ? 1 : 0;
}

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

function storageHash(type: ResourceType): string {
  return Buffer.from(`${apiVersionOf(type)}/${type.kind}`)
    .toString("base64")
    .slice(0, 12);
}
