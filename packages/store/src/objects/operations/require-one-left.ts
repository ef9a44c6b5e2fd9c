import { matchesFields, type KeepsOne, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Program } from "../../engine/program.ts";
import type { CommitBatch, Mutation } from "../commit-batch.ts";
import type { StoredObject } from "../stored-object.ts";

/**
 * Refuses to take away the last object of those a kind keeps one of. Whoever decides here holds the lock on revisions,
 * so two replicas cannot each take away the one that the other relied upon.
 */
export function* requireOneLeft(batch: CommitBatch, mutations: readonly Mutation[]): Program<void> {
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

function* hasOther(batch: CommitBatch, kind: Kind, keepsOne: KeepsOne, than: string): Program<boolean> {
  for (const name of yield* batch.candidates(kind, keepsOne.fields)) {
    const other = name === than ? undefined : yield* batch.find(kind, name);
    if (other !== undefined && isOne(keepsOne, other)) return true;
  }
  return false;
}

function isOne({ fields }: KeepsOne, { object }: StoredObject): boolean {
  return object.metadata.deletedAt === undefined && matchesFields(fields, object);
}
