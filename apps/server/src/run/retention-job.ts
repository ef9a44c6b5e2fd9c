import { BowlineError, type Clock, type Random } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";

import type { Pruned, Retention, RetentionPolicy } from "@bowline/store";

export interface RetentionJobOptions {
  readonly retention: Pick<Retention, "prune">;
  /** Missing where no other server works on this database. */
  readonly leases: LeaseStore | undefined;
  readonly policy: RetentionPolicy;
  readonly intervalMs: number;
  /** Names this process among those that may do it. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly onPruned: (pruned: Pruned) => void;
  /** Told of every failure; it is tried again at the next interval. Must not throw. */
  readonly onError: (error: BowlineError) => void;
}

const leaseKey = "retention";
/** Of the interval, taken off by chance: replicas that were started together do not ask together. */
const jitter = 0.1;

/**
 * Deletes what is too old, at an interval, until the signal aborts. Of several replicas one does it at a time: who gets
 * the lease keeps it until shortly before the interval has passed, whether there is much to delete or nothing.
 */
export async function runRetention(options: RetentionJobOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, intervalMs, onError } = options;
  while (!signal.aborted) {
    try {
      await clock.sleep(intervalMs * (1 - jitter * random()), signal);
      await pruneIfFirst(options, signal);
    } catch (thrown) {
      if (!signal.aborted) onError(BowlineError.from(thrown));
    }
  }
}

async function pruneIfFirst(options: RetentionJobOptions, signal: AbortSignal): Promise<void> {
  const { leases, owner, intervalMs, retention, policy, onPruned } = options;
  const leaseMs = intervalMs * (1 - 2 * jitter);
  if (leases !== undefined && (await leases.tryAcquire(leaseKey, owner, leaseMs)) === undefined) return;
  onPruned(await retention.prune(policy, signal));
}
