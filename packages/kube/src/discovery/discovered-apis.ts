import type { BowlineError } from "@bowline/core";
import type { ResourceRef } from "../object.ts";

/** A resource as the server describes it. */
export interface DiscoveredResource extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** Most wanted first. */
  readonly versions: readonly string[];
}

/** A group version that could not be read; an aggregated API whose server is down is the usual reason. */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  readonly error: BowlineError;
}

/** The APIs that a server offers. Groups and resources are in the server's order of preference. */
export interface DiscoveredApis {
  readonly groups: readonly DiscoveredGroup[];
  readonly resources: readonly DiscoveredResource[];
  readonly failures: readonly DiscoveryFailure[];
}

export function joinApis(parts: readonly DiscoveredApis[]): DiscoveredApis {
  return {
    groups: parts.flatMap((part) => part.groups),
    resources: parts.flatMap((part) => part.resources),
    failures: parts.flatMap((part) => part.failures),
  };
}

export interface ResourceQueryByKind {
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Left out: the version the server prefers. */
  readonly version?: string;
}

/** The resource that holds objects of a kind. */
export function findByKind(apis: DiscoveredApis, query: ResourceQueryByKind): DiscoveredResource | undefined {
  return firstPreferred(
    apis,
    apis.resources.filter(
      (resource) =>
        resource.kind === query.kind &&
        resource.group === query.group &&
        (query.version === undefined || resource.version === query.version),
    ),
  );
}

/**
 * The resource that a person means by `po`, `pod`, `pods`, `Pod`, `deployments.apps` or `deployments.v1.apps`. A full
 * name goes before a short name, and groups go in the server's order, so that `events` is the core one as in kubectl.
 */
export function findByName(apis: DiscoveredApis, text: string): DiscoveredResource | undefined {
  const [name = "", ...qualifier] = text.toLowerCase().split(".");
  const candidates = apis.resources.filter((resource) => isQualifiedBy(resource, qualifier));
  const byFullName = candidates.filter(
    (resource) =>
      resource.plural === name || resource.singular === name || resource.kind.toLowerCase() === name,
  );
  if (byFullName.length > 0) return firstPreferred(apis, byFullName);
  return firstPreferred(
    apis,
    candidates.filter((resource) => resource.shortNames.includes(name)),
  );
}

function isQualifiedBy(resource: DiscoveredResource, qualifier: readonly string[]): boolean {
  if (qualifier.length === 0) return true;
  const group = qualifier.join(".");
  const [version, ...rest] = qualifier;
  return resource.group === group || (resource.version === version && resource.group === rest.join("."));
}

function firstPreferred(
  apis: DiscoveredApis,
  candidates: readonly DiscoveredResource[],
): DiscoveredResource | undefined {
  const rank = ({ group, version }: DiscoveredResource): number => {
    const groupIndex = apis.groups.findIndex(({ name }) => name === group);
    const versionIndex = apis.groups[groupIndex]?.versions.indexOf(version) ?? 0;
    return groupIndex * 1000 + versionIndex;
  };
  return candidates.toSorted((a, b) => rank(a) - rank(b))[0];
}
