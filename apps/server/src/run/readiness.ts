import { BowlineError, Health, type Clock, type HealthCheck } from "@bowline/core";

import type { Store } from "@bowline/store";

export interface ReadinessOptions {
  readonly store: Pick<Store, "ping">;
  readonly checks: ReadonlyMap<string, HealthCheck>;
  /** Aborts when the server begins to stop. */
  readonly draining: AbortSignal;
  readonly clock: Clock;
}

/** A little less than kubelet waits. */
const checkLimitMs = 900;

/** Whether clients should be sent here. */
export function createReadiness({ store, checks, draining, clock }: ReadinessOptions): Health {
  const health = new Health({ name: "readyz", clock, checkLimitMs });
  health.add("shutdown", () => {
    if (draining.aborted) throw new BowlineError("ServerUnavailable", "the server is stopping");
  });
  health.add("database", () => store.ping());
  for (const [name, check] of checks) health.add(name, check);
  return health;
}
