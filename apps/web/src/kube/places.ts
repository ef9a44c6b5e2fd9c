import { BowlineError } from "@bowline/core";
import { resourcePath, type ResourceRef } from "@bowline/kube/shapes";

/** A kind of objects in a cluster: as much as an address of the page says. */
export interface KindPlace {
  readonly cluster: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in paths: `pods`. */
  readonly resource: string;
}

/** One object of a cluster. */
export interface ObjectPlace extends KindPlace {
  /** Missing for what is in no namespace. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** In addresses of the page, where nothing else can stand for nothing. */
const none = "-";
const coreGroup = "core";

/** The parts of a page's address that name a kind. */
export interface KindParams {
  readonly cluster: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface ObjectParams extends KindParams {
  readonly namespace: string;
  readonly name: string;
}

/** Whatever a cluster says can be written into an address: half a character would throw. */
export function kindParams({ cluster, group, version, resource }: KindPlace): KindParams {
  return {
    cluster: cluster.toWellFormed(),
    group: group === "" ? coreGroup : group.toWellFormed(),
    version: version.toWellFormed(),
    resource: resource.toWellFormed(),
  };
}

export function kindPlace({ cluster, group, version, resource }: KindParams): KindPlace {
  return { cluster, group: group === coreGroup ? "" : group, version, resource };
}

export function objectParams(place: ObjectPlace): ObjectParams {
  return {
    ...kindParams(place),
    namespace: (place.namespace ?? none).toWellFormed(),
    name: place.name.toWellFormed(),
  };
}

export function objectPlace(params: ObjectParams): ObjectPlace {
  const { namespace, name } = params;
  return { ...kindPlace(params), ...(namespace === none ? {} : { namespace }), name };
}

/** A path of a cluster's own API, through the proxy. */
export function clusterPath(cluster: string, path: string): string {
  return `/clusters/${segment(cluster)}${path}`;
}

export interface Selection {
  /** Missing for all namespaces, and for what is in none. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The objects of a kind, or those of them that are selected. */
export function listPath(place: KindPlace, { namespace, ...selectors }: Selection = {}): string {
  return clusterPath(place.cluster, resourcePath(refOf(place, namespace), { namespace }, selectors));
}

export function objectPath(
  place: ObjectPlace,
  query: Readonly<Record<string, string>> = {},
  subresource?: string,
): string {
  const { cluster, namespace, name } = place;
  const target = { namespace, name, ...(subresource === undefined ? {} : { subresource }) };
  return clusterPath(cluster, resourcePath(refOf(place, namespace), target, query));
}

/** An address does not say whether a kind is in namespaces; one that names a namespace is. */
function refOf({ group, version, resource }: KindPlace, namespace: string | undefined): ResourceRef {
  return {
    group: group === "" ? "" : segment(group),
    version: segment(version),
    plural: segment(resource),
    kind: "",
    namespaced: namespace !== undefined,
  };
}

/** Parts of an address of the page are whatever somebody wrote there; a browser takes dots for the way up. */
function segment(part: string): string {
  if (part === "" || part === "." || part === "..") {
    throw new BowlineError("InvalidArgument", `"${part}" is no part of an address of a cluster.`);
  }
  return encodeURIComponent(part.toWellFormed());
}

/** `deployments.apps`, as kubectl and rules name a kind. */
export function resourceName({ group, resource }: Pick<KindPlace, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** What to type to get the same object, with the context that `bowline kubeconfig` writes for the cluster. */
export function kubectlCommand(place: ObjectPlace, verb = "get"): string {
  const { cluster, namespace, name } = place;
  const words = ["kubectl", "--context", `bowline-${cluster}`];
  if (namespace !== undefined) words.push("-n", namespace);
  return [...words, verb, resourceName(place), name].map(quoted).join(" ");
}

/** Names that were made to be run by whoever pastes them are quoted. */
function quoted(word: string): string {
  return /^[\w.:/@-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The group and version of an `apiVersion`. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}
