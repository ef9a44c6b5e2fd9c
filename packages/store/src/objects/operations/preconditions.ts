import {
  Cluster,
  invalidError,
  matchesFields,
  referencesOf,
  valuesAt,
  type ApiObject,
  type KeepsOne,
  type Kind,
} from "@bowline/api";
import { asRecord, BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import type { CommitBatch, Mutation } from "../commit-batch.ts";
import { isSameJson, typed, type StoredObject } from "../stored-object.ts";

/** Keeps the object of a Cluster for as long as something outside belongs to it. */
export const deprovision = "bowline.dev/deprovision";

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

/** Refuses the deletion of a Cluster that is protected from it; one that goes already does so. */
export function requireUnprotected({ object: { kind, metadata, spec } }: StoredObject): void {
  if (kind !== Cluster.kind || metadata.deletedAt !== undefined || asRecord(spec)["protect"] !== true) return;
  throw new BowlineError(
    "StillReferenced",
    `The Cluster "${metadata.name}" is protected from deletion by spec.protect; take that back first.`,
    { details: { reason: "Protected" } },
  );
}

/** Refuses to let a Cluster go while something outside belongs to it, unless that is to stay there. */
export function* requireFinalizersDone(
  batch: CommitBatch,
  { kind, metadata, spec }: ApiObject,
  finalizers: readonly string[],
): Transaction<void> {
  const isTakenOff = metadata.finalizers?.includes(deprovision) === true && !finalizers.includes(deprovision);
  if (kind !== Cluster.kind || !isTakenOff || asRecord(spec)["deletionPolicy"] === "orphan") return;
  if (!(yield* batch.hasResources(metadata.id))) return;
  throw new BowlineError(
    "Conflict",
    `Something that was made for the ${kind} "${metadata.name}" is still there; its object stays until that is gone.`,
  );
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

/**
 * Refuses what an object is to have for itself and another one has already. One that is being deleted keeps it until it is
 * gone: what was made of it is still there. Decided under the lock on revisions, so of two who take the same at the same
 * moment, on any replica, one is refused.
 */
export function* requireExclusive(batch: CommitBatch, mutations: readonly Mutation[]): Transaction<void> {
  for (const { kind, type, before, after } of mutations) {
    if (kind.exclusive === undefined || type === "DELETED") continue;
    const { metadata, spec } = typed(kind, after.object);
    if (before !== undefined && isSameJson(before.object.spec, spec)) continue;
    for (const name of yield* sharersOf(batch, kind, kind.exclusive.field, after)) {
      const other = name === metadata.name ? undefined : yield* batch.find(kind, name);
      if (other === undefined) continue;
      const problem = kind.exclusive.conflict(spec, typed(kind, other.object).spec);
      if (problem === undefined) continue;
      const state = other.object.metadata.deletedAt === undefined ? "" : ", which is being deleted";
      const message = `${problem.message}, by ${kind.kind} "${name}"${state}`;
      throw invalidError(`The ${kind.kind}`, [{ ...problem, message }]);
    }
  }
}

/** Names of the objects that have one of the values that this one has in a field. */
function* sharersOf(
  batch: CommitBatch,
  kind: Kind,
  path: string,
  { object }: StoredObject,
): Transaction<ReadonlySet<string>> {
  const field = kind.filterable.find(({ text }) => text === path);
  const names = new Set<string>();
  if (field === undefined) return names;
  for (const value of valuesAt(field, object)) {
    if (typeof value !== "string") continue;
    for (const name of yield* batch.allCandidates(kind, [{ field, operator: "=", value }])) names.add(name);
  }
  return names;
}
