import { BowlineError } from "@bowline/core";
import type { KubeObject, ResourceRef } from "../object.ts";

interface ResourceTarget {
  /** Left out: every namespace of a namespaced resource, or a cluster-wide resource. */
  readonly namespace?: string | undefined;
  /** Left out: the collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Members that are `undefined` or empty are left out, as the API server means the same by both. */
export type ResourceQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** The escaped path of an object, a collection or a subresource, ready for `KubeRequest.path`. */
export function resourcePath(
  ref: ResourceRef,
  target: ResourceTarget = {},
  query: ResourceQuery = {},
): string {
  const segments = [ref.group === "" ? "api" : `apis/${ref.group}`, ref.version];
  if (ref.namespaced && target.namespace !== undefined && target.namespace !== "") {
    segments.push("namespaces", pathSegment(target.namespace));
  }
  segments.push(ref.plural);
  if (target.name !== undefined) segments.push(pathSegment(target.name));
  if (target.subresource !== undefined) segments.push(target.subresource);
  const search = queryString(query);
  return `/${segments.join("/")}${search === "" ? "" : `?${search}`}`;
}

/** An empty or dotted segment would address the collection or its parent: a delete there is a disaster, so it is refused. */
function pathSegment(name: string): string {
  if (name === "" || name === "." || name === "..") {
    throw new BowlineError(
      "InvalidArgument",
      `"${name}" is not a name an object can have; give the name of the object.`,
    );
  }
  return encodeURIComponent(name.toWellFormed());
}

function queryString(query: ResourceQuery): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  return params.toString();
}

/** One object of a resource. `namespace` is needed exactly when the resource is namespaced. */
export interface ObjectTarget {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Refuses what would quietly address something else: the collection, or an object of another kind. */
export function checkedTarget(resource: ResourceRef, { namespace, name }: ObjectTarget): ObjectTarget {
  if (!isSegment(name)) throw refused(`"${name}" cannot be the name of a ${resource.kind}.`, resource);
  if (!resource.namespaced) return { name };
  if (namespace === undefined) {
    throw refused(`A ${resource.kind} lives in a namespace: say in which one "${name}" is.`, resource);
  }
  return { namespace: checkedNamespace(resource, namespace), name };
}

export function checkedNamespace(resource: ResourceRef, namespace: string): string {
  if (!isSegment(namespace)) throw refused(`"${namespace}" cannot be the name of a namespace.`, resource);
  return namespace;
}

export function targetOf(resource: ResourceRef, object: KubeObject): ObjectTarget {
  const { name, namespace } = object.metadata;
  if (name === undefined) throw refused(`This ${resource.kind} has no metadata.name.`, resource);
  return checkedTarget(resource, { name, namespace });
}

/** `deployments/web in namespace "shop"`, as it reads inside a sentence. */
export function describeTarget(
  resource: ResourceRef,
  target: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  const what = target.name === undefined ? resource.plural : `${resource.plural}/${target.name}`;
  if (!resource.namespaced) return what;
  return target.namespace === undefined
    ? `${what} in all namespaces`
    : `${what} in namespace "${target.namespace}"`;
}

function isSegment(value: string): boolean {
  return value !== "" && value !== "." && value !== ".." && !/[/%]/.test(value);
}

function refused(message: string, resource: ResourceRef): BowlineError {
  return new BowlineError("InvalidArgument", message, { details: { kind: resource.kind } });
}
