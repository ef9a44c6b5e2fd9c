import type { Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import type { NewAuditRecord } from "../../records/audit-log.ts";
import type { CommitBatch, Mutation } from "../commit-batch.ts";
import type { Operation } from "../committer.ts";
import { fenceKeys, requireFence } from "../fence.ts";
import type { DeleteOptions, DeletionChange, WriteResult } from "../write-options.ts";
import type { ObjectReference } from "../object-index.ts";
import { readObject, storedObject, typed, type StoredObject } from "../stored-object.ts";
import { applyDecision, auditRows, type WriteContext } from "./apply-decision.ts";
import { deletion, repeatedDeletion, waitForReferrers } from "./deletion.ts";
import { canBeReferred, planDeletion, type DeletionStep } from "./plan-deletion.ts";
import { requireFound, requireSame, requireUnprotected, requireVersion } from "./preconditions.ts";

export interface DeleteRequest<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly options: DeleteOptions<K>;
}

/** As many as an answer of the API names. */
const maxBlockersNamed = 100;

export function deleteObject<K extends Kind>(
  context: WriteContext,
  { kind, name, options }: DeleteRequest<K>,
): Operation<WriteResult<K>> {
  return {
    prefetch: { objects: [{ kind, name }], leaseKeys: fenceKeys(options.fence) },
    *run(batch) {
      const before = requireFound(kind, name, yield* batch.find(kind, name));
      requireFence(batch, options.fence);
      requireSame(kind, before, options.id);
      requireVersion(kind, name, before, options.resourceVersion);
      options.check?.({ kind, current: readObject(kind, before.body) });
      const isDeleting = before.object.metadata.deletedAt !== undefined;
      const mutations = isDeleting
        ? repeated(batch, { kind, before, author: options.author, offset: 0 })
        : yield* decideDeletion(context, { kind, name, options }, batch);
      const last = mutations.at(-1);
      const result: WriteResult<K> = {
        outcome: last?.type === "DELETED" ? "deleted" : "deleting",
        object: typed(kind, (last?.after ?? before).object),
      };
      const records = (): (NewAuditRecord | undefined)[] =>
        mutations.map((mutation) => options.audit?.(resultOf(mutation)));
      return yield* applyDecision(
        context,
        batch,
        { result, mutations },
        {
          dryRun: options.dryRun,
          attach: () => ({ audit: auditRows(context, records(), batch.nowMs) }),
        },
      );
    },
  };
}

function* decideDeletion<K extends Kind>(
  { kinds }: WriteContext,
  { kind, name, options }: DeleteRequest<K>,
  batch: CommitBatch,
): Transaction<Mutation[]> {
  const plan = yield* planDeletion(batch, kinds, { kind, name, cascade: options.cascade === true });
  requireNone(kind, name, plan.blockedBy);
  const mutations: Mutation[] = [];
  const staying = new Set<string>();
  for (const step of plan.steps) {
    const stepKind = kinds.find((candidate) => candidate.kind === step.kind) ?? kind;
    const before = requireFound(stepKind, step.name, yield* batch.find(stepKind, step.name));
    if (step.action === "delete") requireUnprotected(before);
    if (step !== plan.steps.at(-1)) options.check?.(changeOf(stepKind, before, step));
    const offset = mutations.length;
    if (step.action === "update")
      mutations.push(respecified(batch, { kind: stepKind, before, step, offset }));
    else if (before.object.metadata.deletedAt !== undefined) {
      staying.add(`${step.kind}/${step.name}`);
      mutations.push(...repeated(batch, { kind: stepKind, before, author: options.author, offset }));
    } else {
      const referrers = canBeReferred(kinds, stepKind) ? yield* batch.referrers(stepKind, step.name) : [];
      const waits = referrers.some((referrer) => staying.has(`${referrer.kind}/${referrer.name}`));
      const wait = waits ? [waitForReferrers] : [];
      const mutation = deletion(batch, { kind: stepKind, before, author: options.author, wait, offset });
      if (mutation.type !== "DELETED") staying.add(`${step.kind}/${step.name}`);
      mutations.push(mutation);
    }
  }
  return mutations;
}

function repeated(batch: CommitBatch, turn: Parameters<typeof repeatedDeletion>[1]): Mutation[] {
  const mutation = repeatedDeletion(batch, turn);
  return mutation === undefined ? [] : [mutation];
}

function changeOf(kind: Kind, before: StoredObject, step: DeletionStep): DeletionChange {
  return {
    kind,
    current: readObject(kind, before.body),
    spec: step.action === "update" ? step.spec : undefined,
    isOwned: step.action === "delete" && step.isOwned,
  };
}

function resultOf({ kind, type, after }: Mutation): WriteResult<Kind> {
  const isMarked = after.object.metadata.deletedAt !== undefined;
  const outcome = type === "DELETED" ? "deleted" : isMarked ? "deleting" : "updated";
  return { outcome, object: typed(kind, after.object) };
}

interface Respecify {
  readonly kind: Kind;
  readonly before: StoredObject;
  readonly step: DeletionStep & { readonly action: "update" };
  readonly offset: number;
}

function respecified(batch: CommitBatch, { kind, before, step, offset }: Respecify): Mutation {
  const { object } = before;
  const metadata = {
    ...object.metadata,
    generation: object.metadata.generation + 1,
    resourceVersion: batch.nextVersion(offset),
    updatedAt: new Date(batch.nowMs).toISOString(),
  };
  const after = storedObject({ ...object, metadata, spec: step.spec }, before);
  return { kind, type: "MODIFIED", before, after, desiredChanged: true };
}

function requireNone(kind: Kind, name: string, blockers: readonly ObjectReference[]): void {
  const [first] = blockers;
  if (first === undefined) return;
  const others = blockers.length === 1 ? "" : ` and ${blockers.length - 1} more`;
  throw new BowlineError(
    "StillReferenced",
    `${kind.kind} "${name}" is still named by ${first.kind} "${first.name}" (${first.field.replaceAll("[]", "")})${others}.`,
    { details: { blockedBy: blockers.slice(0, maxBlockersNamed) } },
  );
}
