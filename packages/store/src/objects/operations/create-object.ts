import type { Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import { openAnswer, sealAnswer } from "../sealed-answer.ts";
import type { Operation } from "../committer.ts";
import { fenceKeys } from "../fence.ts";
import type {
  CreateOnceOptions,
  DesiredWrite,
  RepeatedCreate,
  WriteOptions,
  WriteResult,
} from "../write-options.ts";
import { applyDecision, auditRows, type WriteContext } from "./apply-decision.ts";
import { decideWrite, writeObject, type WriteRequest } from "./write-object.ts";

export function createObject<K extends Kind>(
  context: WriteContext,
  kind: K,
  desired: DesiredWrite<K>,
  options: WriteOptions<K>,
): Operation<WriteResult<K>> {
  return writeObject(context, createRequest(kind, desired, options));
}

/** Creates an object unless the same request has been answered before. */
export function createObjectOnce<K extends Kind>(
  context: WriteContext,
  kind: K,
  desired: DesiredWrite<K>,
  options: CreateOnceOptions<K>,
): Operation<WriteResult<K> | RepeatedCreate> {
  const { idempotency } = options;
  const request = createRequest(kind, desired, options);
  return {
    prefetch: {
      objects: [{ kind, name: request.name }],
      leaseKeys: fenceKeys(options.fence),
      answerKeys: [idempotency],
    },
    *run(batch) {
      const known = openAnswer(context.keys, batch.storedAnswer(idempotency), idempotency, batch.nowMs);
      if (known !== undefined) return { outcome: "repeated", answer: known };
      const decision = yield* decideWrite(context, request, batch);
      const { result } = decision;
      const expiresMs = batch.nowMs + idempotency.ttlMs;
      return yield* applyDecision(context, batch, decision, {
        dryRun: options.dryRun,
        attach: () => ({
          answer: sealAnswer(context.keys, idempotency, options.answer(result), expiresMs),
          audit: auditRows(context, [options.audit?.(result)], batch.nowMs),
        }),
      });
    },
  };
}

function createRequest<K extends Kind>(
  kind: K,
  desired: DesiredWrite<K>,
  options: WriteOptions<K>,
): WriteRequest<K> {
  const { name } = desired.metadata;
  const decide: WriteRequest<K>["decide"] = (current) => {
    if (current !== undefined) throw alreadyExists(kind, name, current.metadata.deletedAt !== undefined);
    return desired;
  };
  return { kind, name, decide, options };
}

function alreadyExists(kind: Kind, name: string, isDeleting: boolean): BowlineError {
  const message = isDeleting
    ? `The ${kind.kind} "${name}" is still being deleted; try again when it is gone.`
    : `There is a ${kind.kind} "${name}" already; update it, or choose another name.`;
  return new BowlineError("AlreadyExists", message, { retryable: isDeleting });
}
