import * as fc from "fast-check";

import type { WireRequest } from "../wire-request.ts";
import { addressMutations } from "./address-mutations.ts";
import { bodyMutations } from "./body-mutations.ts";
import { headerMutations } from "./header-mutations.ts";
import type { MutatedRequest } from "./mutation.ts";
import type { Operation } from "./operations.ts";

export interface MutationOptions {
  /** One that the server gave out, where it does so. */
  readonly cursor: string | undefined;
}

/** Requests that are like those the document describes, and wrong in one way. */
export function mutatedRequests(
  operation: Operation,
  valid: fc.Arbitrary<WireRequest>,
  options: MutationOptions,
): fc.Arbitrary<MutatedRequest> {
  const possible = [...bodyMutations, ...addressMutations(options.cursor), ...headerMutations].filter(
    ({ on }) => on(operation),
  );
  return fc.tuple(valid, fc.constantFrom(...possible)).chain(([request, mutation]) =>
    mutation.change(request, operation).map((changed) => ({
      what: mutation.what,
      request: changed,
      expects: mutation.expects,
      ...(mutation.hasCaller === undefined ? {} : { hasCaller: mutation.hasCaller }),
    })),
  );
}
