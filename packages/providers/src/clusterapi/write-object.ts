import { BowlineError, hasCode } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { ensureResource, type FoundResource, type ResourceHandler } from "../ensure-resource.ts";
import type { ProviderWork } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import type { FoundObject } from "./cluster-look.ts";
import { findObject, targetOf, type ManagementCluster, type ObjectPlace } from "./management-cluster.ts";
import { isOurs, marked } from "./marks.ts";
import { shownPlace, stepOf, typeOf } from "./object-record.ts";
import type { WantedObject } from "./wanted-objects.ts";

/** Owns the fields that we write. */
const fieldManager = "bowline-provider";

/** Cluster API writes the status of its objects all the time, and each write makes another version. */
const writeTries = 5;

interface Tools {
  readonly management: ManagementCluster;
  readonly work: ProviderWork;
}

/** Makes an object that is not there, takes one that is ours and that nobody remembers, and changes one that differs. */
export async function writeObject(tools: Tools, { wanted, record, live }: FoundObject): Promise<void> {
  if (live === undefined || record?.id === undefined) {
    await ensureResource(tools.work, handlerOf(tools, wanted));
    return;
  }
  const subject = `apply ${typeOf(wanted.place)} ${wanted.step}`;
  await tools.work.call(subject, () => applyObject(tools, wanted, record));
}

/** One object of the management cluster, for what makes it once. */
function handlerOf({ management, work }: Tools, { place, object }: WantedObject): ResourceHandler {
  const { client } = management;
  const { signal } = work;
  return {
    ...handlerToRemove({ management, work }, place),
    // Never by an apply, which would change what somebody else has made a moment ago under the same name.
    create: async (record) => {
      const sent = marked(object, work, record);
      const made = await quietly(place, () => client.create(place.resource, sent, { fieldManager, signal }));
      return { id: made.metadata.uid ?? "", isReady: false };
    },
  };
}

/** The same for an object that is only to go. */
export function handlerToRemove({ management, work }: Tools, place: ObjectPlace): ResourceHandler {
  const { client, name } = management;
  const { signal } = work;
  const find = async (record: ResourceRecord): Promise<FoundResource | undefined> => {
    const live = await findObject(management, place, { signal, metadataOnly: true });
    if (live === undefined) return undefined;
    const id = live.metadata.uid ?? "";
    const isForeign = !isOurs(live, work, record);
    return { id: isForeign ? shownPlace(place) : id, isReady: false, isForeign };
  };
  return {
    step: stepOf(place),
    type: typeOf(place),
    region: name,
    find,
    create: () => Promise.reject(new BowlineError("Internal", "This object is not to be made.")),
    /**
     * In the background: Cluster API takes the machines away first, then the control plane, then the network, and keeps
     * the Cluster until then. Kubernetes' own deletion in the foreground would ask all of them to go at once.
     */
    remove: async ({ id }) => {
      const preconditions = id === undefined ? {} : { uid: id };
      const options = { ...targetOf(place), preconditions, propagationPolicy: "Background", signal } as const;
      try {
        await client.delete(place.resource, options);
      } catch (error) {
        // It is gone, or another one has its name by now: the next look tells.
        if (!hasCode(error, "NotFound", "Conflict")) throw error;
      }
    },
  };
}

/**
 * Makes an object of ours what it should be, by server-side apply: what is not wanted any more goes, and what others have
 * added stays. What they have changed of ours becomes ours again. Only in the version that was looked at, which is ours.
 */
async function applyObject(
  { management, work }: Tools,
  { place, object }: WantedObject,
  record: ResourceRecord,
): Promise<void> {
  const { client } = management;
  const { signal } = work;
  const sent = marked(object, work, record);
  for (let tries = 1; ; tries += 1) {
    const live = await findObject(management, place, { signal, metadataOnly: true });
    if (live === undefined || !isOurs(live, work, record)) return;
    try {
      const { metadata } = await claimFields({ management, work }, place, live);
      await quietly(place, () =>
        client.apply(place.resource, sent, {
          fieldManager,
          force: true,
          resourceVersion: metadata.resourceVersion ?? "",
          signal,
        }),
      );
      return;
    } catch (error) {
      if (!hasCode(error, "Conflict") || tries >= writeTries) throw error;
    }
  }
}

/**
 * The fields that we set when we created the object, as if they had been applied: an apply removes only what was applied,
 * so whatever left the template would stay there for ever.
 */
async function claimFields(
  { management, work }: Tools,
  place: ObjectPlace,
  { metadata }: KubeObject,
): Promise<KubeObject> {
  const entries = metadata.managedFields ?? [];
  const isCreation = (entry: (typeof entries)[number]): boolean =>
    entry.manager === fieldManager && entry.operation === "Update" && (entry.subresource ?? "") === "";
  const hasApplied = entries.some(
    ({ manager, operation }) => manager === fieldManager && operation === "Apply",
  );
  if (!entries.some(isCreation)) return { apiVersion: "", kind: "", metadata };
  const claimed = hasApplied
    ? entries.filter((entry) => !isCreation(entry))
    : entries.map((entry) => (isCreation(entry) ? { ...entry, operation: "Apply" as const } : entry));
  const patch = [
    // Written, not tested: a test that fails is an invalid request, and this is a conflict.
    { op: "replace", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value: claimed },
  ];
  return management.client.patch(place.resource, patch, {
    type: "json",
    ...targetOf(place),
    fieldManager,
    signal: work.signal,
  });
}

/** An API server quotes what it does not like, also when that is the value of a Secret. */
async function quietly<T>(place: ObjectPlace, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isQuoted = hasCode(error, "Invalid", "BadRequest", "ServerError", "Forbidden", "FieldConflict");
    if (place.resource.kind !== "Secret" || !isQuoted) throw error;
    const { code, retryable } = BowlineError.from(error);
    const message = `The management cluster does not take the ${shownPlace(place)} (${code}).`;
    // Without a cause, which has the same words.
    throw new BowlineError(code, message, { retryable });
  }
}
