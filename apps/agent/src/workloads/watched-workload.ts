import { isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { KindRef } from "../observe/kube-message.ts";

/** An object that a Workload names. */
export interface NamedResource {
  readonly kind: KindRef;
  /** Empty for objects of the cluster as a whole. */
  readonly namespace: string;
  readonly name: string;
}

/** The part of a Workload custom resource that says what to watch. */
export interface WatchedWorkload {
  readonly name: string;
  readonly uid: string;
  readonly resources: readonly NamedResource[];
}

/** As in the definition of the kind; one that was changed, or is not ours, may let anything through. */
const maxResources = 2_000;
const maxNameLength = 253;

/** Whatever is wrong with a resource, the others are watched. */
export function watchedWorkload(object: KubeObject): WatchedWorkload {
  const { name = "", uid = "" } = object.metadata;
  const spec = isRecord(object["spec"]) ? object["spec"] : {};
  const listed: readonly unknown[] = Array.isArray(spec["resources"]) ? spec["resources"] : [];
  const resources = listed.slice(0, maxResources).flatMap((each) => namedResource(each) ?? []);
  return { name, uid, resources };
}

function namedResource(value: unknown): NamedResource | undefined {
  if (!isRecord(value)) return undefined;
  const { group = "", kind, namespace = "", name } = value;
  if (!isName(kind) || !isName(name) || !isName(group, 0) || !isName(namespace, 0)) return undefined;
  return { kind: { group, kind }, namespace, name };
}

function isName(value: unknown, minLength = 1): value is string {
  return typeof value === "string" && value.length >= minLength && value.length <= maxNameLength;
}

/** Tells named objects apart. */
export function nameKey(kind: string, namespace: string, name: string): string {
  return `${kind}|${namespace}|${name}`;
}
