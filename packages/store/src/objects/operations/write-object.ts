import { isDeepStrictEqual } from "node:util";

import {
  apiVersion,
  initialStatus,
  splitSecrets,
  type ApiObject,
  type Author,
  type Kind,
  type ManagedBy,
  type ObjectOf,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import { sealSecrets } from "../../secrets/object-secrets.ts";
import type { CommitBatch } from "../commit-batch.ts";
import type { Operation } from "../committer.ts";
import { fenceKeys, requireFence } from "../fence.ts";
import type { ConditionalWriteOptions, DesiredWrite, WriteResult } from "../write-options.ts";
import { isSameJson, readObject, storedObject, typed, type StoredObject } from "../stored-object.ts";
import { applyDecision, auditRows, type Decision, type WriteContext } from "./apply-decision.ts";
import { keepDerived, withAuthor, withDerived } from "./derived-status.ts";
import { requireReferred, requireVersion } from "./preconditions.ts";

export interface WriteRequest<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly decide: (current: ObjectOf<K> | undefined) => DesiredWrite<K>;
  readonly options: ConditionalWriteOptions<K>;
}

/** Creates an object or updates it. */
export function writeObject<K extends Kind>(
  context: WriteContext,
  request: WriteRequest<K>,
): Operation<WriteResult<K>> {
  const { kind, name, options } = request;
  return {
    prefetch: { objects: [{ kind, name }], leaseKeys: fenceKeys(options.fence) },
    *run(batch) {
      const decision = yield* decideWrite(context, request, batch);
      return yield* applyDecision(context, batch, decision, {
        dryRun: options.dryRun,
        attach: () => ({ audit: auditRows(context, [options.audit?.(decision.result)], batch.nowMs) }),
      });
    },
  };
}

/** The decision about a write, without doing it. */
export function* decideWrite<K extends Kind>(
  context: WriteContext,
  { kind, name, decide, options }: WriteRequest<K>,
  batch: CommitBatch,
): Transaction<Decision<K>> {
  const before = yield* batch.find(kind, name);
  requireFence(batch, options.fence);
  requireVersion(kind, name, before, options.resourceVersion);
  const desired = decide(before === undefined ? undefined : readObject(kind, before.body));
  if (desired.metadata.name !== name) {
    throw new BowlineError("InvalidArgument", `The name of ${kind.kind} "${name}" cannot be changed.`);
  }
  yield* requireReferred(batch, context.kinds, kind, { before, spec: desired.spec });
  return before === undefined
    ? created(context, { kind, desired, author: options.author }, batch)
    : updated(context, { kind, before, desired, author: options.author }, batch);
}

interface Creation<K extends Kind> {
  readonly kind: K;
  readonly desired: DesiredWrite<K>;
  readonly author: Author | undefined;
}

function created<K extends Kind>(
  context: WriteContext,
  { kind, desired, author }: Creation<K>,
  batch: CommitBatch,
): Decision<K> {
  const id = context.newId();
  const at = new Date(batch.nowMs).toISOString();
  const { name, labels, annotations } = desired.metadata;
  const finalizers = desired.finalizers ?? [];
  const { spec, secrets } = splitSecrets<object>(kind, desired.spec);
  const owner = { kind: kind.kind, id };
  const sealed = sealSecrets(context.keys, owner, secrets);
  const status = withAuthor(kind, desired.status ?? initialStatus(kind), { author, spec });
  const object: ApiObject = {
    apiVersion,
    kind: kind.kind,
    metadata: {
      id,
      name,
      labels,
      annotations,
      generation: 1,
      resourceVersion: batch.nextVersion(),
      createdAt: at,
      updatedAt: at,
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      ...markOf(desired.managedBy ?? undefined),
    },
    spec,
    status: withDerived(kind, status, { keys: context.keys, owner, spec, sealed }),
  };
  const after = storedObject(object, { secrets: sealed, lookupKey: desired.lookupKey ?? null });
  return {
    result: { outcome: "created", object: typed(kind, object) },
    mutations: [{ kind, type: "ADDED", before: undefined, after, desiredChanged: true }],
  };
}

interface Update<K extends Kind> extends Creation<K> {
  readonly before: StoredObject;
}

function updated<K extends Kind>(
  context: WriteContext,
  { kind, before, desired, author }: Update<K>,
  batch: CommitBatch,
): Decision<K> {
  const { object } = before;
  const { labels, annotations } = desired.metadata;
  const { managedBy: markBefore, ...kept } = object.metadata;
  const managedBy = desired.managedBy === undefined ? markBefore : (desired.managedBy ?? undefined);
  const { spec, secrets } = splitSecrets<object>(kind, desired.spec);
  const owner = { kind: kind.kind, id: object.metadata.id };
  const sealed = sealSecrets(context.keys, owner, secrets, before.secrets);
  const lookupKey = desired.lookupKey ?? before.lookupKey;
  const written: ApiObject["status"] = desired.status ?? object.status;
  const own = keepDerived(kind, written, object.status);
  const derived =
    sealed === before.secrets ? own : withDerived(kind, own, { keys: context.keys, owner, spec, sealed });
  const specChanged = sealed !== before.secrets || !isSameJson(spec, object.spec);
  const status = specChanged ? withAuthor(kind, derived, { author, before: object.spec, spec }) : derived;
  const isSame =
    !specChanged &&
    lookupKey === before.lookupKey &&
    isSameJson(labels, object.metadata.labels) &&
    isSameJson(annotations, object.metadata.annotations) &&
    isDeepStrictEqual(managedBy, markBefore) &&
    isSameJson(status, object.status);
  if (isSame) return { result: { outcome: "unchanged", object: typed(kind, object) }, mutations: [] };
  const next: ApiObject = {
    ...object,
    metadata: {
      ...kept,
      ...markOf(managedBy),
      labels,
      annotations,
      generation: object.metadata.generation + (specChanged ? 1 : 0),
      resourceVersion: batch.nextVersion(),
      updatedAt: new Date(batch.nowMs).toISOString(),
    },
    spec,
    status,
  };
  const after = storedObject(next, { secrets: sealed, lookupKey });
  return {
    result: { outcome: "updated", object: typed(kind, next) },
    mutations: [{ kind, type: "MODIFIED", before, after, desiredChanged: specChanged }],
  };
}

function markOf(managedBy: ManagedBy | undefined): { readonly managedBy?: ManagedBy } {
  return managedBy === undefined ? {} : { managedBy };
}
