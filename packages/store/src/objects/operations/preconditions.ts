import {
  invalidError,
  matchesFields,
  referencesOf,
  type ApiObject,
  type KeepsOne,
  type Kind,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import type { CommitBatch, Mutation } from "../commit-batch.ts";
import type { StoredObject } from "../stored-object.ts";

export function notFound(kind: Kind, name: string): BowlineError {
  return new BowlineError("NotFound", `There is no ${kind.kind} "${name}".`);
}

export function requireFound(kind: Kind, name: string, stored: StoredObject | undefined): StoredObject {
  if (stored === undefined) throw notFound(kind, name);
  return stored;
}

/** Refuses to write on top of a version that the caller has not seen. */
export function requireVersion(
  kind: Kind,
  name: string,
  current: StoredObject | undefined,
  expected: string | undefined,
): void {
  const found = current?.object.metadata.resourceVersion;
  if (expected === undefined || expected === found) return;
  const now = found === undefined ? "it does not exist" : `it is at version ${found} now`;
  throw new BowlineError(
    "Conflict",
    `${kind.kind} "${name}" was to be written at version ${expected}, but ${now}; read it again and repeat the change.`,
    { details: { expected, ...(found === undefined ? {} : { found }) } },
  );
}

/** A name can be given again: what was decided about one object must not be written to another. */
export function requireSame(kind: Kind, stored: StoredObject, id: string | undefined): void {
  const { metadata } = stored.object;
  if (id === undefined || metadata.id === id) return;
  throw new BowlineError("NotFound", `${kind.kind} "${metadata.name}" was deleted and created anew.`);
}

/** Refuses names of objects that must exist and do not; names that were there before are not looked at again. */
export function* requireReferred(
  batch: CommitBatch,
  kinds: readonly Kind[],
  kind: Kind,
  item: { readonly before: StoredObject | undefined; readonly spec: ApiObject["spec"] },
): Transaction<void> {
  const known = item.before === undefined ? [] : referencesOf(kind, item.before.object);
  const problems = [];
  for (const reference of referencesOf(kind, item)) {
    if (reference.mustExist !== true || known.some(({ name }) => name === reference.name)) continue;
    const target = kinds.find((candidate) => candidate.kind === reference.kind);
    const found = target === undefined ? undefined : yield* batch.find(target, reference.name);
    if (found !== undefined && found.object.metadata.deletedAt === undefined) continue;
    problems.push({
      path: reference.field.replaceAll("[]", ""),
      message: `must be the name of a ${reference.kind}; there is no "${reference.name}"`,
    });
  }
  if (problems.length > 0) throw invalidError(`The ${kind.kind}`, problems);
}

/**
 * Refuses to take away the last object of those a kind keeps one of. A decision here is made under the lock on revisions, so two replicas cannot each take away the one that the other relied upon.
 */
export function* requireOneLeft(batch: CommitBatch, mutations: readonly Mutation[]): Transaction<void> {
  for (const { kind, type, before, after } of mutations) {
    const { keepsOne } = kind;
    if (keepsOne === undefined || before === undefined || !isOne(keepsOne, before)) continue;
    if (type !== "DELETED" && isOne(keepsOne, after)) continue;
    const { name } = before.object.metadata;
    if (yield* hasOther(batch, kind, keepsOne, name)) continue;
    throw new BowlineError(
      "Forbidden",
      `The ${kind.kind} "${name}" has to stay as it is, because it is the last ${keepsOne.what}; make another one first.`,
    );
  }
}

function* hasOther(batch: CommitBatch, kind: Kind, keepsOne: KeepsOne, than: string): Transaction<boolean> {
  for (const name of yield* batch.candidates(kind, keepsOne.fields)) {
    const other = name === than ? undefined : yield* batch.find(kind, name);
    if (other !== undefined && isOne(keepsOne, other)) return true;
  }
  return false;
}

function isOne({ fields }: KeepsOne, { object }: StoredObject): boolean {
  return object.metadata.deletedAt === undefined && matchesFields(fields, object);
}
