import { BowlineError } from "@bowline/core";
import type { ResourceRef } from "./object.ts";

export interface ResourceTarget {
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
  return encodeURIComponent(name);
}

function queryString(query: ResourceQuery): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  return params.toString();
}
