import type { Kind } from "@bowline/api";

import type { Transaction } from "../../engine/transaction.ts";
import type { Prefetch } from "../commit-batch.ts";
import type { Operation } from "../committer.ts";
import type { ObjectWrite, WriteResult } from "../write-options.ts";
import type { WriteContext } from "./apply-decision.ts";
import { deleteObject } from "./delete-object.ts";
import { writeObject } from "./write-object.ts";

/** Several changes as one operation: all of them are made, or none. */
export function writeObjects(
  context: WriteContext,
  writes: readonly ObjectWrite[],
): Operation<WriteResult<Kind>[]> {
  const operations = writes.map((write) =>
    write.action === "write" ? writeObject(context, write) : deleteObject(context, write),
  );
  return {
    prefetch: joined(operations.map(({ prefetch }) => prefetch)),
    run: (batch) =>
      batch.whole(function* (): Transaction<WriteResult<Kind>[]> {
        const results: WriteResult<Kind>[] = [];
        for (const operation of operations) results.push(yield* operation.run(batch));
        return results;
      }),
  };
}

function joined(prefetches: readonly Prefetch[]): Prefetch {
  return {
    objects: prefetches.flatMap(({ objects }) => objects),
    leaseKeys: prefetches.flatMap(({ leaseKeys = [] }) => leaseKeys),
  };
}
