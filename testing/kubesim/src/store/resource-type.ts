import type { CustomVersion } from "./custom-version.ts";

/** Where a scale subresource finds its numbers, as dotted paths. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Absent where the kind has none; the value may be a label selector object or its text form. */
  readonly selector?: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** One kind of object: how it is named, where it is served and which rules its writes follow. */
export interface ResourceType {
  /** `pods` or `deployments.apps`: the name of its table in the store. */
  readonly key: string;
  readonly group: string;
  /** The version objects are kept in. */
  readonly version: string;
  /** Every group and version it is served under, the preferred one first. */
  readonly served: readonly GroupVersion[];
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  /** Further subresources, such as `log` or `binding`. */
  readonly subresources: readonly string[];
  /** Whether `metadata.generation` counts changes of the spec. */
  readonly countsGeneration: boolean;
  /** A `PUT` of an object that does not exist creates it. */
  readonly createsOnUpdate: boolean;
  /** A `PUT` without resourceVersion overwrites whatever is there. */
  readonly updatesUnconditionally: boolean;
  /** A finished `DELETE` answers with the object instead of a `Status`. */
  readonly returnsDeleted: boolean;
  /** Names may hold capitals and colons: only what would break a path is refused. */
  readonly freeNames: boolean;
  /** A `DELETE` of the collection deletes everything in it. */
  readonly deletesCollections: boolean;
  /** Requests of this kind are answered at once and nothing is stored (reviews). */
  readonly virtual: boolean;
  /** Worked out when it is asked for: what nodes and pods use at the moment. */
  readonly measured: boolean;
  /** Per served version, for kinds that a CustomResourceDefinition made. */
  readonly custom?: ReadonlyMap<string, CustomVersion>;
}

export function apiVersionOf(place: GroupVersion): string {
  return place.group === "" ? place.version : `${place.group}/${place.version}`;
}

export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  return slash === -1
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function tableKey(group: string, resource: string): string {
  return group === "" ? resource : `${resource}.${group}`;
}
