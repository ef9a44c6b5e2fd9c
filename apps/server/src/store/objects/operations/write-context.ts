import type { Kind } from "@bowline/api";

import { auditRow } from "../../records/audit-log.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { RowOf } from "../../schema/tables.ts";
import type { WriteOptions, WriteResult } from "../object-store.ts";

/** What every operation on objects needs. */
export interface WriteContext {
  readonly keys: KeyRing;
  readonly newId: () => string;
  /** Every kind that objects may be of. */
  readonly kinds: readonly Kind[];
}

/** The audit row of a write, made before anything is changed: what a caller's function throws refuses the write. */
export function auditOf<K extends Kind>(
  context: WriteContext,
  result: WriteResult<K>,
  options: WriteOptions<K>,
  nowMs: number,
): RowOf<"audit"> | undefined {
  const record = options.audit?.(result);
  return record === undefined ? undefined : auditRow(record, context.newId(), nowMs);
}
