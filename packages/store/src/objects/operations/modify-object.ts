import type { ApiObject, Kind, ObjectOf } from "@bowline/api";

import type { Transaction } from "../../engine/transaction.ts";
import type { CommitBatch } from "../commit-batch.ts";
import type { Operation } from "../committer.ts";
import { fenceKeys, requireFence } from "../fence.ts";
import type { StatusWriteOptions, WriteResult } from "../write-options.ts";
import { isSameJson, readObject, storedObject, typed } from "../stored-object.ts";
import { applyDecision, auditRows, type Decision, type WriteContext } from "./apply-decision.ts";
import { removal } from "./deletion.ts";
import { keepDerived } from "./derived-status.ts";
import { requireFinalizersDone, requireFound, requireSame, requireVersion } from "./preconditions.ts";

export interface ModifyRequest<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  /** The parts that controllers write, as they should be. */
  readonly decide: (current: ObjectOf<K>) => {
    readonly status?: ApiObject["status"];
    readonly finalizers?: readonly string[];
  };
  readonly options: StatusWriteOptions<K>;
}

/** Writes the parts that belong to controllers, the status and the finalizers. The generation stays. */
export function modifyObject<K extends Kind>(
  context: WriteContext,
  request: ModifyRequest<K>,
): Operation<WriteResult<K>> {
  const { kind, name, options } = request;
  return {
    prefetch: { objects: [{ kind, name }], leaseKeys: fenceKeys(options.fence) },
    *run(batch) {
      const decision = yield* decideModify(request, batch);
      return yield* applyDecision(context, batch, decision, {
        dryRun: options.dryRun,
        attach: () => ({ audit: auditRows(context, [options.audit?.(decision.result)], batch.nowMs) }),
      });
    },
  };
}

function* decideModify<K extends Kind>(
  { kind, name, decide, options }: ModifyRequest<K>,
  batch: CommitBatch,
): Transaction<Decision<K>> {
  const before = requireFound(kind, name, yield* batch.find(kind, name));
  requireFence(batch, options.fence);
  requireSame(kind, before, options.id);
  requireVersion(kind, name, before, options.resourceVersion);
  const { object } = before;
  const { finalizers: finalizersBefore = [], ...kept } = object.metadata;
  const decided = decide(readObject(kind, before.body));
  const status = keepDerived(kind, decided.status ?? object.status, object.status);
  const finalizers = decided.finalizers ?? finalizersBefore;
  if (isSameJson(status, object.status) && isSameJson(finalizers, finalizersBefore)) {
    return { result: { outcome: "unchanged", object: typed(kind, object) }, mutations: [] };
  }
  yield* requireFinalizersDone(batch, object, finalizers);
  const next: ApiObject = {
    ...object,
    metadata: {
      ...kept,
      resourceVersion: batch.nextVersion(),
      updatedAt: new Date(batch.nowMs).toISOString(),
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
    },
    status,
  };
  const after = storedObject(next, before);
  if (kept.deletedAt !== undefined && finalizers.length === 0) {
    return {
      result: { outcome: "deleted", object: typed(kind, next) },
      mutations: [removal(kind, before, after)],
    };
  }
  return {
    result: { outcome: "updated", object: typed(kind, next) },
    mutations: [{ kind, type: "MODIFIED", before, after, desiredChanged: false }],
  };
}
