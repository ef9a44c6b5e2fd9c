import { BowlineError, type Clock } from "@bowline/core";
import { Health, type HealthCheck } from "@bowline/program/health";

import type { Store } from "@bowline/store";

export interface ReadinessOptions {
  readonly store: Pick<Store, "ping">;
  readonly checks: ReadonlyMap<string, HealthCheck>;
  /** Aborts when the server begins to stop. */
  readonly draining: AbortSignal;
  readonly clock: Clock;
}

/** Whether clients should be sent here. */
export function createReadiness({ store, checks, draining, clock }: ReadinessOptions): Health {
  const health = new Health({ clock });
  health.add("shutdown", () => {
    if (draining.aborted) throw new BowlineError("ServerUnavailable", "the server is stopping");
  });
  health.add("database", () => store.ping());
  for (const [name, check] of checks) health.add(name, check);
  return health;
}
