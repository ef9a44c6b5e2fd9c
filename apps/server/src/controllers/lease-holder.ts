import type { Clock } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";
import type { Store } from "@bowline/store";

interface Holder {
  /** What is held. */
  readonly key: string;
  /** Names this process among the replicas. */
  readonly owner: string;
  readonly clock: Clock;
}

const leaseMs = 30_000;

/**
 * Tells whether this process is the one that does a work: of several servers one keeps a lease, and asks for it again
 * when half of it has passed. One that is alone on its database needs none.
 */
export function leaseHolder(
  { leases, use }: { readonly leases: LeaseStore; readonly use: Store["use"] },
  { key, owner, clock }: Holder,
): () => Promise<boolean> {
  if (use !== undefined) return () => Promise.resolve(true);
  let askAgainMs = 0;
  let isHeld = false;
  return async () => {
    if (isHeld && clock.monotonicMs() < askAgainMs) return true;
    const askedMs = clock.monotonicMs();
    isHeld = (await leases.tryAcquire(key, owner, leaseMs)) !== undefined;
    askAgainMs = askedMs + leaseMs / 2;
    return isHeld;
  };
}
