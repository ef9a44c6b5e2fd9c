import type { ResourceRecord } from "../resource-record.ts";
import { clusterApiGroup, type ObjectPlace } from "./management-cluster.ts";

/**
 * The step of an object, which is its place within a management cluster: `Cluster.cluster.x-k8s.io default/web`. The
 * versions of a group are views of the same object, so none is in it.
 */
export function stepOf({ resource: { kind, group }, namespace, name }: ObjectPlace): string {
  return `${kind}${group === "" ? "" : `.${group}`} ${namespace}/${name}`;
}

/** The type of an object: how it is addressed, `cluster.x-k8s.io/v1beta2/clusters`. */
export function typeOf({ resource: { group, version, plural } }: Pick<ObjectPlace, "resource">): string {
  return `${group === "" ? "" : `${group}/`}${version}/${plural}`;
}

/**
 * The place of an object by its record, from the moment it was intended: the step and the type are all that is written
 * down before a call, and a deletion may know nothing else.
 */
export function placeOf({ step, type }: ResourceRecord): ObjectPlace {
  const [kindInGroup = "", path = ""] = step.split(" ");
  const [kind = "", ...group] = kindInGroup.split(".");
  const [namespace = "", name = ""] = path.split("/");
  const [plural = "", version = ""] = type.split("/").toReversed();
  const resource = { group: group.join("."), version, plural, kind, namespaced: namespace !== "" };
  return { resource, namespace, name };
}

/** Whether it is the record of a Cluster of Cluster API, of which each of ours has one. */
export function isOfCluster({ step }: Pick<ResourceRecord, "step">): boolean {
  return step.startsWith(`Cluster.${clusterApiGroup} `);
}

/** `Cluster default/web` */
export function shownPlace({ resource, namespace, name }: ObjectPlace): string {
  return `${resource.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
