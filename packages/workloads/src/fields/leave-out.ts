import type { KubeObject } from "@bowline/kube";

import { fieldManager } from "../workload.ts";
import { fieldAt, withField, withoutField } from "./edit-fields.ts";
import { findField } from "./field-path.ts";
import { isApplyOf, ownsField } from "./owned-fields.ts";

/**
 * The object without fields that are left to others.
 *
 * A field that we own alone would be removed from the cluster by leaving it out, and `replicas` would fall back to 1. So
 * one that is still ours is sent as it is in the cluster, until somebody else sets it and owns it from then on.
 */
export function leaveOut(
  object: KubeObject,
  paths: readonly string[],
  live: KubeObject | undefined,
): KubeObject {
  return paths.reduce((rest, path) => leaveOutOne(rest, path, live), object);
}

function leaveOutOne(object: KubeObject, path: string, live: KubeObject | undefined): KubeObject {
  const place = findField(object, path);
  if (place === undefined) return object;
  const livePlace = findField(live, path);
  const owned = live?.metadata.managedFields?.find((entry) => isApplyOf(entry, fieldManager))?.fieldsV1;
  const isOurs = livePlace !== undefined && owned !== undefined && ownsField(owned, live, livePlace);
  const next = isOurs
    ? withField(object, place, fieldAt(live, livePlace ?? []))
    : withoutField(object, place);
  return asObject(next, object);
}

/** An object never loses its identity, whatever paths somebody writes. */
function asObject(value: unknown, { apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace } = metadata;
  const edited = typeof value === "object" && value !== null ? { ...value } : {};
  const own = "metadata" in edited && typeof edited.metadata === "object" ? edited.metadata : {};
  const identity = {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { ...edited, apiVersion, kind, metadata: { ...own, ...identity } };
}

/** Whether any of the paths is in the object at all. */
export function hasAnyField(object: KubeObject, paths: readonly string[]): boolean {
  return paths.some((path) => findField(object, path) !== undefined);
}
