import { hasCode } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { EngineContext } from "./engine-context.ts";
import { until } from "./until.ts";
import { findLiveMetadata, placeOf, type LiveTarget } from "./live-object.ts";

/**
 * - `gone`: it is not there any more
 * - `changed`: somebody changed it after it was looked at, so it was not deleted
 * - `deleting`: it is still there, for the finalizers it has
 */
export type DeleteOutcome =
  | { readonly outcome: "gone" }
  | { readonly outcome: "changed" }
  | { readonly outcome: "deleting"; readonly finalizers: readonly string[] };

/**
 * Sends the request. Both preconditions are needed: the uid, because another object may have the name by now; the version,
 * because another instance may have adopted this one since it was looked at.
 */
export async function requestDelete(
  { client, signal }: EngineContext,
  target: LiveTarget,
  live: KubeObject,
  propagation: "Foreground" | "Orphan",
): Promise<DeleteOutcome> {
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = live.metadata;
  if (deletionTimestamp !== undefined) return { outcome: "deleting", finalizers };
  if (uid === undefined || resourceVersion === undefined) return { outcome: "changed" };
  try {
    const options = { preconditions: { uid, resourceVersion }, propagationPolicy: propagation, signal };
    const answer = await client.delete(target.kindInCluster, { ...placeOf(target), ...options });
    return { outcome: "deleting", finalizers: answer.metadata?.finalizers ?? [] };
  } catch (error) {
    if (hasCode(error, "NotFound")) return { outcome: "gone" };
    if (hasCode(error, "Conflict")) return { outcome: "changed" };
    throw error;
  }
}

/** Looks once whether an object that is being deleted is gone. */
export function lookForGone(
  context: EngineContext,
  target: LiveTarget,
  uid: string | undefined,
): Promise<DeleteOutcome> {
  return waitUntilGone(context, target, uid, 0);
}

/** Waits until an object that is being deleted is gone, or the time is over. */
async function waitUntilGone(
  context: EngineContext,
  target: LiveTarget,
  uid: string | undefined,
  limitMs: number,
): Promise<DeleteOutcome> {
  let finalizers: readonly string[] = [];
  const gone = await until(context, limitMs, async (): Promise<DeleteOutcome | undefined> => {
    const live = await findLiveMetadata(context, target);
    finalizers = live?.metadata.finalizers ?? [];
    return live === undefined || live.metadata.uid !== uid ? { outcome: "gone" } : undefined;
  });
  return gone ?? { outcome: "deleting", finalizers };
}

export async function deleteAndWait(
  context: EngineContext,
  target: LiveTarget,
  live: KubeObject,
  how: { readonly propagation: "Foreground" | "Orphan"; readonly limitMs: number },
): Promise<DeleteOutcome> {
  const sent = await requestDelete(context, target, live, how.propagation);
  if (sent.outcome !== "deleting") return sent;
  return waitUntilGone(context, target, live.metadata.uid, how.limitMs);
}
