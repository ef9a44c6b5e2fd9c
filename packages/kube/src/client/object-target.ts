import { BowlineError } from "@bowline/core";
import type { KubeObject, ResourceRef } from "../object.ts";

/** Which object is meant. `namespace` is needed exactly when the resource is namespaced. */
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
