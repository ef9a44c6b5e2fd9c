import { BowlineError } from "@bowline/core";

import { selectRows } from "../engine/bulk-statement.ts";
import { rowsByKey, type Transaction } from "../engine/transaction.ts";
import type { CommitBatch } from "./commit-batch.ts";

/** A grant of a lease. A write that names it is refused once the lease was granted to another. */
export interface Fence {
  readonly key: string;
  readonly token: number;
}

/** Refuses the writes of a worker whose lease was granted to another in the meantime. */
export function requireFence(batch: CommitBatch, fence: Fence | undefined): void {
  if (fence !== undefined && batch.leaseToken(fence.key) !== fence.token) throw leaseLost(fence);
}

/** The rows to be read for `requireFence`. */
export function fenceKeys(fence: Fence | undefined): readonly string[] {
  return fence === undefined ? [] : [fence.key];
}

/** The same in a transaction of its own; the lease cannot be granted to anybody else before that commits. */
export function* lockFence(fence: Fence | undefined): Transaction<void> {
  if (fence === undefined) return;
  const lease = selectRows("leases", ["key"], [{ key: fence.key }]);
  const [granted] = yield* rowsByKey({ ...lease, lock: true });
  if (granted?.token !== fence.token) throw leaseLost(fence);
}

function leaseLost({ key }: Fence): BowlineError {
  return new BowlineError("LeaseLost", `The lease on "${key}" has ended or was granted to another worker.`);
}
