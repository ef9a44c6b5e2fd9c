import type { Kind } from "@bowline/api";

import type { Transaction } from "../../engine/transaction.ts";
import type { RowOf } from "../../engine/tables.ts";
import { auditRow, type NewAuditRecord } from "../../records/audit-log.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { Attachments, CommitBatch, Mutation } from "../commit-batch.ts";
import { missingRows, referencesIn, type ReferenceRow } from "../object-index.ts";
import { storedObject, type StoredObject } from "../stored-object.ts";
import type { WriteResult } from "../write-options.ts";
import { removal, waitForReferrers } from "./deletion.ts";
import { requireExclusive, requireOneLeft } from "./preconditions.ts";

/** The parts that every operation on objects needs. */
export interface WriteContext {
  readonly keys: KeyRing;
  readonly newId: () => string;
  /** Every kind that objects may be of. */
  readonly kinds: readonly Kind[];
}

/** The outcome of an operation, before anything is written. */
export interface Decision<K extends Kind> {
  readonly result: WriteResult<K>;
  /** The change of the object that the operation is about comes last. */
  readonly mutations: readonly Mutation[];
}

interface ApplyOptions {
  readonly dryRun?: boolean | undefined;
  /** Called before anything is changed: what a caller's function throws refuses the write. */
  readonly attach: () => Attachments;
}

/** Makes the changes that were decided, unless it is a dry run. */
export function* applyDecision<K extends Kind>(
  context: WriteContext,
  batch: CommitBatch,
  decision: Decision<K>,
  { dryRun, attach }: ApplyOptions,
): Transaction<WriteResult<K>> {
  yield* requireOneLeft(batch, decision.mutations);
  yield* requireExclusive(batch, decision.mutations);
  if (dryRun === true) return unwritten(decision);
  yield* applyMutations(context, batch, decision.mutations, attach());
  return decision.result;
}

/** A resourceVersion that was never given out would make a client believe it had written something. */
function unwritten<K extends Kind>({ result, mutations }: Decision<K>): WriteResult<K> {
  const last = mutations.at(-1);
  if (last === undefined) return result;
  const resourceVersion = last.before?.object.metadata.resourceVersion ?? "0";
  const { object } = result;
  return { ...result, object: { ...object, metadata: { ...object.metadata, resourceVersion } } };
}

export function auditRows(
  { newId }: WriteContext,
  records: readonly (NewAuditRecord | undefined)[],
  nowMs: number,
): RowOf<"audit">[] {
  return records.flatMap((record) => (record === undefined ? [] : [auditRow(record, newId(), nowMs)]));
}

/** Takes over the changes of an operation, and lets go of what waited only for them. */
function* applyMutations(
  { kinds }: WriteContext,
  batch: CommitBatch,
  mutations: readonly Mutation[],
  attachments: Attachments,
): Transaction<void> {
  batch.apply(mutations, attachments);
  // Each once: thousands may have let go of the same one.
  const lost = mutations.flatMap(lostTargets);
  const released = [...new Map(lost.map((row) => [`${row.to_kind}/${row.to_name}`, row])).values()];
  for (let target = released.shift(); target !== undefined; target = released.shift()) {
    const { to_kind: kindName, to_name: name } = target;
    const kind = kinds.find((candidate) => candidate.kind === kindName);
    const before = kind === undefined ? undefined : yield* batch.find(kind, name);
    if (kind === undefined || before === undefined || !isWaiting(before)) continue;
    if (yield* batch.isReferred(kind, name)) continue;
    const mutation = withoutWait(kind, before, batch);
    batch.apply([mutation]);
    released.push(...lostTargets(mutation));
  }
}

/** The objects that were referred to before and are not any more. */
function lostTargets({ kind, type, before, after }: Mutation): readonly ReferenceRow[] {
  if (before === undefined) return [];
  return missingRows(referencesIn(kind, before), type === "DELETED" ? [] : referencesIn(kind, after));
}

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
