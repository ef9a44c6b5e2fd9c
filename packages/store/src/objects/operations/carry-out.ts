import type { Kind } from "@bowline/api";

import type { Program } from "../../engine/program.ts";
import { auditRow, type NewAuditRecord } from "../../records/audit-log.ts";
import type { RowOf } from "../../engine/tables.ts";
import type { Attachments, CommitBatch, Mutation } from "../commit-batch.ts";
import type { WriteResult } from "../object-store.ts";
import { applyMutations } from "./apply-mutations.ts";
import { requireOneLeft } from "./require-one-left.ts";
import type { WriteContext } from "./write-context.ts";

/** What an operation comes to. */
export interface Decision<K extends Kind> {
  readonly result: WriteResult<K>;
  /** The change of the object that the operation is about comes last. */
  readonly mutations: readonly Mutation[];
}

interface CarryOutOptions {
  readonly dryRun?: boolean | undefined;
  /** Called before anything is changed: what a caller's function throws refuses the write. */
  readonly attach: () => Attachments;
}

/** Does what was decided, unless it is a dry run. */
export function* carryOut<K extends Kind>(
  context: WriteContext,
  batch: CommitBatch,
  decision: Decision<K>,
  { dryRun, attach }: CarryOutOptions,
): Program<WriteResult<K>> {
  yield* requireOneLeft(batch, decision.mutations);
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
