import type { KubeObject, ManagedFieldsEntry } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { findLive, placeOf, type LiveTarget } from "../cluster/live-object.ts";
import { isApplyOf, withoutFields } from "../fields/owned-fields.ts";
import { fieldManager } from "../workload.ts";

/** Controllers write the status of some objects all the time, and each write makes another version. */
const maxTries = 5;

/**
 * Ends what others own together with us, where that may be taken. When somebody writes the object meanwhile, that is
 * tried again in the version they made; what fails otherwise, with the next change: the object itself is applied.
 */
export async function ownAlone(
  context: EngineContext,
  target: LiveTarget,
  { answer, isTaken }: { readonly answer: KubeObject; readonly isTaken: (manager: string) => boolean },
): Promise<KubeObject> {
  let live: KubeObject | undefined = answer;
  for (let tries = 1; live !== undefined && tries <= maxTries; tries += 1) {
    const managedFields = withoutCoOwners(live, isTaken);
    if (managedFields === undefined) return answer;
    try {
      const alone = await writeManagers(context, target, live, managedFields);
      // A later version may hold what somebody else has changed since; what we applied is in the first.
      return tries === 1 ? alone : answer;
    } catch {
      context.signal.throwIfAborted();
      live = await newerThan(context, target, live);
    }
  }
  return answer;
}

/** The object as it is now, if somebody has written it since. */
async function newerThan(
  context: EngineContext,
  target: LiveTarget,
  { metadata }: KubeObject,
): Promise<KubeObject | undefined> {
  const now = await findLive(context, target).catch(() => undefined);
  const isSame = now?.metadata.uid === metadata.uid;
  return isSame && now?.metadata.resourceVersion !== metadata.resourceVersion ? now : undefined;
}

function writeManagers(
  { client, signal }: EngineContext,
  target: LiveTarget,
  { metadata }: KubeObject,
  managedFields: ManagedFieldsEntry[],
): Promise<KubeObject> {
  const patch = [
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value: managedFields },
  ];
  return client.patch(target.kindInCluster, patch, {
    type: "json",
    ...placeOf(target),
    fieldManager,
    signal,
  });
}

/**
 * The managers of an object without what those own together with us from whom it may be taken, and without what
 * we own by another request than an apply; undefined when there is nothing like that. Two owners of a field agree on its
 * value, so nobody notices; but a field that goes from the manifest would stay in the cluster, because the other one still
 * wants it. Fields that were never ours stay theirs.
 */
function withoutCoOwners(
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
