import type { Author, Kind } from "@bowline/api";

import type { CommitBatch, Mutation } from "../commit-batch.ts";
import { isSameJson, storedObject, type StoredObject } from "../stored-object.ts";
import { withDeleter } from "./derived-status.ts";

/** Put on an object whose deletion has to wait until what refers to it, and is being deleted with it, is gone. */
export const waitForReferrers = "bowline.dev/wait-for-referrers";

interface DeletionTurn {
  readonly kind: Kind;
  readonly before: StoredObject;
  /** Whoever deletes it, for kinds that record that. */
  readonly author: Author | undefined;
  /** Finalizers to add. */
  readonly wait: readonly string[];
  /** Where among the changes of its operation this one comes. */
  readonly offset: number;
}

/** The next state of an object whose deletion is asked for: gone, or marked while it has finalizers. */
export function deletion(batch: CommitBatch, { kind, before, author, wait, offset }: DeletionTurn): Mutation {
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
  const status = withDeleter(kind, object.status, author);
  const after = storedObject({ ...object, metadata: marked, status }, before);
  return { kind, type: "MODIFIED", before, after, desiredChanged: true };
}

/** An object that is being deleted, and that somebody else deletes once more; undefined when it was the same one. */
export function repeatedDeletion(
  batch: CommitBatch,
  { kind, before, author, offset }: Omit<DeletionTurn, "wait">,
): Mutation | undefined {
  const { object } = before;
  const status = withDeleter(kind, object.status, author);
  if (isSameJson(status, object.status)) return undefined;
  const metadata = {
    ...object.metadata,
    resourceVersion: batch.nextVersion(offset),
    updatedAt: new Date(batch.nowMs).toISOString(),
  };
  const after = storedObject({ ...object, metadata, status }, before);
  return { kind, type: "MODIFIED", before, after, desiredChanged: true };
}

export function removal(kind: Kind, before: StoredObject, after: StoredObject): Mutation {
  return { kind, type: "DELETED", before, after, desiredChanged: true };
}
