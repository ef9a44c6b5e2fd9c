import type { Kind } from "@bowline/api";

import type { Program } from "../../engine/program.ts";
import type { Attachments, CommitBatch, Mutation } from "../commit-batch.ts";
import { missingRows, referencesIn } from "../object-terms.ts";
import { storedObject, type StoredObject } from "../stored-object.ts";
import { removal, waitForReferrers } from "./deletion.ts";

/** Takes over the changes of an operation, and lets go of what waited only for them. */
export function* applyMutations(
  { kinds }: { readonly kinds: readonly Kind[] },
  batch: CommitBatch,
  mutations: readonly Mutation[],
  attachments: Attachments = {},
): Program<void> {
  batch.apply(mutations, attachments);
  const released = mutations.flatMap(lostTargets);
  for (let target = released.shift(); target !== undefined; target = released.shift()) {
    const { to_kind: kindName, to_name: name } = target;
    const kind = kinds.find((candidate) => candidate.kind === kindName);
    const before = kind === undefined ? undefined : yield* batch.find(kind, name);
    if (kind === undefined || before === undefined || !isWaiting(before)) continue;
    if ((yield* batch.referrers(kind, name)).length > 0) continue;
    const mutation = withoutWait(kind, before, batch);
    batch.apply([mutation]);
    released.push(...lostTargets(mutation));
  }
}

/** The objects that were referred to before and are not any more. */
function lostTargets({ kind, type, before, after }: Mutation): ReturnType<typeof missingRows<Target>> {
  if (before === undefined) return [];
  return missingRows<Target>(referencesIn(kind, before), type === "DELETED" ? [] : referencesIn(kind, after));
}

type Target = ReturnType<typeof referencesIn>[number];

function isWaiting({ object }: StoredObject): boolean {
  const { deletedAt, finalizers = [] } = object.metadata;
  return deletedAt !== undefined && finalizers.includes(waitForReferrers);
}

function withoutWait(kind: Kind, before: StoredObject, batch: CommitBatch): Mutation {
  const { finalizers = [], ...kept } = before.object.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== waitForReferrers);
  const metadata = {
    ...kept,
    resourceVersion: batch.nextVersion(),
    updatedAt: new Date(batch.nowMs).toISOString(),
    ...(left.length === 0 ? {} : { finalizers: left }),
  };
  const after = storedObject({ ...before.object, metadata }, before);
  if (left.length === 0) return removal(kind, before, after);
  return { kind, type: "MODIFIED", before, after, desiredChanged: true };
}
