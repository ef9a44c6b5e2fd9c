import { isRecord } from "@bowline/core";
import { arrayOf, recordOf, textOf, type KubeObject, type ObjectMeta } from "@bowline/kube/shapes";

import type { ListOptions } from "../live/live-context.tsx";
import { request, RequestFailed } from "../live/request.ts";
import { editablePart, isSame } from "./change-patch.ts";
import { hiddenSecret, hideValues } from "./hidden-secret.ts";
import { patchOfVersion, type Operation } from "./json-patch.ts";
import { KubeFeed } from "./kube-feed.ts";
import { listPath, objectPath, type ObjectPlace } from "./places.ts";
import { tableAccept } from "./tables.ts";

const json = "application/json";

/** Whole objects of a cluster, for `useLive`. */
export const objectLists: ListOptions<KubeObject> = {
  keyOf: uidOf,
  feed: (path) => new KubeFeed({ path, accept: json, itemsOf: objectsOf }),
};

/** Secrets without their values: asked for as Tables, so that no value ever gets here unless somebody wants to see it. */
export const secretLists: ListOptions<KubeObject> = {
  keyOf: uidOf,
  feed: (path) => new KubeFeed({ path, accept: tableAccept, itemsOf: secretsOf }),
};

/** The list that has this one object in it, while it exists. */
export function onlyPath(place: ObjectPlace): string {
  return listPath(place, { namespace: place.namespace, fieldSelector: `metadata.name=${place.name}` });
}

export function isSecret({ group, resource }: Pick<ObjectPlace, "group" | "resource">): boolean {
  return group === "" && resource === "secrets";
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? metadata.name ?? "";
}

/** Items of lists do not say what they are: the list does. */
function* objectsOf(answer: Readonly<Record<string, unknown>>): Generator<readonly [string, KubeObject]> {
  const listKind = textOf(answer["kind"]) ?? "";
  const values = Array.isArray(answer["items"])
    ? arrayOf(answer["items"])
        .filter(isRecord)
        .map((item) => ({
          apiVersion: answer["apiVersion"],
          kind: listKind.replace(/List$/u, ""),
          ...item,
        }))
    : [answer];
  for (const value of values) {
    const object = asObject(value);
    if (object !== undefined) yield [uidOf(object), object];
  }
}

function* secretsOf(answer: Readonly<Record<string, unknown>>): Generator<readonly [string, KubeObject]> {
  if (answer["kind"] !== "Table") {
    for (const [key, object] of objectsOf(answer)) yield [key, hideValues(object)];
    return;
  }
  for (const row of arrayOf(answer["rows"])) {
    const metadata = metadataOf(recordOf(recordOf(row)?.["object"])?.["metadata"]);
    if (metadata === undefined) continue;
    // The second cell of a Secret's row is its type; later answers of a watch do not name their columns again.
    const object = hiddenSecret(metadata, textOf(arrayOf(recordOf(row)?.["cells"])[1]));
    yield [uidOf(object), object];
  }
}

function asObject(value: Readonly<Record<string, unknown>>): KubeObject | undefined {
  const metadata = metadataOf(value["metadata"]);
  if (metadata === undefined) return undefined;
  return {
    ...value,
    apiVersion: textOf(value["apiVersion"]) ?? "v1",
    kind: textOf(value["kind"]) ?? "",
    metadata,
  };
}

/** What is read of metadata is looked at where it is read: a cluster may send anything. */
function metadataOf(value: unknown): ObjectMeta | undefined {
  const metadata = recordOf(value);
  return metadata === undefined || textOf(metadata["name"]) === undefined ? undefined : metadata;
}

/** One object as it is now. */
export async function readObject(place: ObjectPlace, signal?: AbortSignal): Promise<KubeObject | undefined> {
  const answer = await request<unknown>(objectPath(place), signal === undefined ? {} : { signal });
  const object = isRecord(answer) ? asObject(answer) : undefined;
  return object === undefined || !isSecret(place) ? object : hideValues(object);
}

/** One value of a Secret, for somebody who asked to see it; the audit log has that they did. */
export async function readSecretValue(place: ObjectPlace, key: string): Promise<string | undefined> {
  const answer = await request<unknown>(objectPath(place));
  return textOf(recordOf(recordOf(answer)?.["data"])?.[key]);
}

export const fieldManager = "bowline-console";

/** A change that was made from what somebody has read. */
export interface Change {
  readonly place: ObjectPlace;
  readonly base: KubeObject;
  readonly patch: readonly Operation[];
  /** Answers with what would come of it, and changes nothing. */
  readonly dryRun: boolean;
}

/** What came of a change; or what is there by now, when somebody else was faster. */
export type Changed = { readonly result: KubeObject } | { readonly theirs: KubeObject };

/**
 * Changes an object, unless somebody else has changed it since. A new status is no change of somebody else: objects
 * that are busy have one every second.
 */
export async function changeObject(change: Change): Promise<Changed> {
  const { place, base } = change;
  try {
    return { result: await patchObject(change, base.metadata.resourceVersion) };
  } catch (error) {
    // A test of the patch that fails is Invalid, as is an object that the cluster does not take.
    const isStale = error instanceof RequestFailed && [409, 422].includes(error.failure.status);
    const theirs = isStale ? await readObject(place) : undefined;
    if (theirs === undefined) throw error;
    if (!isSame(editablePart(base), editablePart(theirs))) return { theirs };
    if (error instanceof RequestFailed && error.failure.status === 422) throw error;
    return { result: await patchObject(change, theirs.metadata.resourceVersion) };
  }
}

async function patchObject(change: Change, resourceVersion: string | undefined): Promise<KubeObject> {
  const { place, patch, dryRun } = change;
  const query = { fieldManager, fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) };
  const answer = await request<unknown>(objectPath(place, query), {
    method: "PATCH",
    body: patchOfVersion(patch, resourceVersion),
    headers: { "content-type": "application/json-patch+json" },
  });
  const object = isRecord(answer) ? asObject(answer) : undefined;
  if (object === undefined) throw new TypeError("The cluster answered with something that is no object.");
  return isSecret(place) ? hideValues(object) : object;
}

/** Deletes this very object, and none of the same name that may have come after it. */
export async function deleteObject(place: ObjectPlace, uid: string): Promise<void> {
  await request(objectPath(place), {
    method: "DELETE",
    body: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid },
      propagationPolicy: "Background",
    },
  });
}
