import type { KubeObject, ManagedFieldsEntry } from "@bowline/kube";

import { isApplyOf, withoutFields } from "../fields/owned-fields.ts";
import { fieldManager } from "../workload.ts";

/**
 * The managers of an object without what those own together with us from whom it may be taken, and without what
 * we own by another request than an apply; undefined when there is nothing like that. Two owners of a field agree on its
 * value, so nobody notices; but a field that goes from the manifest would stay in the cluster, because the other one still
 * wants it. Fields that were never ours stay theirs.
 */
export function withoutCoOwners(
  { metadata }: KubeObject,
  isTaken: (manager: string) => boolean,
): ManagedFieldsEntry[] | undefined {
  const entries = metadata.managedFields ?? [];
  const ours = entries.find((entry) => isApplyOf(entry, fieldManager))?.fieldsV1;
  if (ours === undefined) return undefined;
  let isChanged = false;
  const left = entries.flatMap((entry) => {
    const { manager = "", operation, subresource = "" } = entry;
    if (manager === fieldManager && operation === "Update" && subresource === "") {
      isChanged = true;
      return [];
    }
    const isCoOwner = isTaken(manager) && subresource === "";
    if (!isCoOwner || entry.fieldsV1 === undefined) return [entry];
    const fieldsV1 = withoutFields(entry.fieldsV1, ours);
    if (fieldsV1 !== undefined && JSON.stringify(fieldsV1) === JSON.stringify(entry.fieldsV1)) return [entry];
    isChanged = true;
    return fieldsV1 === undefined ? [] : [{ ...entry, fieldsV1 }];
  });
  return isChanged ? left : undefined;
}
