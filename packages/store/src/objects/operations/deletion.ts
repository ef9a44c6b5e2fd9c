import type { Kind } from "@bowline/api";

import type { CommitBatch, Mutation } from "../commit-batch.ts";
import { storedObject, type StoredObject } from "../stored-object.ts";

/** Put on an object whose deletion has to wait until what refers to it, and is being deleted with it, is gone. */
export const waitForReferrers = "bowline.dev/wait-for-referrers";

interface DeletionTurn {
  readonly kind: Kind;
  readonly before: StoredObject;
  /** Finalizers to add. */
  readonly wait: readonly string[];
  /** Where among the changes of its operation this one comes. */
  readonly offset: number;
}

/** The next state of an object whose deletion is asked for: gone, or marked while it has finalizers. */
export function deletion(batch: CommitBatch, { kind, before, wait, offset }: DeletionTurn): Mutation {
  const { object } = before;
  const at = new Date(batch.nowMs).toISOString();
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), ...wait])];
  const metadata = { ...object.metadata, resourceVersion: batch.nextVersion(offset), updatedAt: at };
  if (finalizers.length === 0) {
    return removal(
      kind,
      before,
      storedObject({ ...object, metadata: { ...metadata, deletedAt: at } }, before),
    );
  }
  // A new generation, because its controller has something new to do: it counts as not observed until that is done.
  const marked = {
    ...metadata,
    generation: metadata.generation + 1,
    deletedAt: object.metadata.deletedAt ?? at,
    finalizers,
  };
  const after = storedObject({ ...object, metadata: marked }, before);
  return { kind, type: "MODIFIED", before, after, desiredChanged: true };
}

export function removal(kind: Kind, before: StoredObject, after: StoredObject): Mutation {
  return { kind, type: "DELETED", before, after, desiredChanged: true };
}
