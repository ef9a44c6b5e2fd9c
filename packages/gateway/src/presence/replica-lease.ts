import { BowlineError, type Clock } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";
import type { DatabaseUse, Store } from "@bowline/store";

export interface ReplicaLeaseOptions {
  readonly leases: LeaseStore;
  readonly replicas: Pick<Store["agents"]["replicas"], "endOthers">;
  /** Where this process has the database for itself. */
  readonly use: DatabaseUse | undefined;
  /** Names this process among the replicas, and is never used again. */
  readonly owner: string;
  readonly clock: Clock;
  /** It had ended, and others may have taken the sessions of this process for abandoned. */
  readonly onRegained: () => void;
}

/** How long the others wait for a silent replica before they say that its agents are gone. */
export const replicaLeaseMs = 30_000;
const renewMs = replicaLeaseMs / 3;
/** Where there are no others, nobody waits for its end. */
const loneLeaseMs = 3 * 24 * 60 * 60_000;

/**
 * Shows the other replicas that this one lives, and with it the sessions it holds. A server that has the database for
 * itself shows it to the one that comes after it, which knows that this one is gone and only asks since when: that is
 * noted beside the database, so that a quiet server writes nothing into it.
 */
export class ReplicaLease {
  readonly key: string;
  readonly #options: ReplicaLeaseOptions;
  readonly #ttlMs: number;
  readonly #renewAfterMs: number;
  readonly #stop = new AbortController();
  #token = 0;
  #renewedMs = 0;
  #running: Promise<void> | undefined;

  constructor(options: ReplicaLeaseOptions) {
    this.#options = options;
    const isAlone = options.use !== undefined;
    this.#ttlMs = isAlone ? loneLeaseMs : replicaLeaseMs;
    this.#renewAfterMs = isAlone ? loneLeaseMs / 3 : 0;
    this.key = `gateway/${options.owner}`;
  }

  async start(): Promise<void> {
    const { use, replicas, clock } = this.#options;
    if (use !== undefined) {
      const nowMs = clock.now();
      await replicas.endOthers(this.key, Math.round(Math.min(use.lastMs ?? nowMs, nowMs)) + replicaLeaseMs);
      use.note(nowMs);
    }
    await this.#acquire();
    this.#running = this.#keep();
  }

  /**
   * Stops renewing it. It is not given back: until it ends by itself, the agents have the time to connect elsewhere,
   * and nobody is told that they are gone.
   */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #acquire(): Promise<void> {
    const { leases, owner, clock } = this.#options;
    const grant = await leases.tryAcquire(this.key, owner, this.#ttlMs);
    if (grant === undefined) throw new BowlineError("Internal", `The lease ${this.key} belongs to another.`);
    this.#token = grant.token;
    this.#renewedMs = clock.monotonicMs();
  }

  async #keep(): Promise<void> {
    const { use, clock, onRegained } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await clock.sleep(renewMs, signal);
        use?.note(clock.now());
        if (clock.monotonicMs() - this.#renewedMs < this.#renewAfterMs || (await this.#renew())) continue;
        await this.#acquire();
        onRegained();
      } catch {
        // Stopped, or the database cannot be reached, which others report; it is tried again.
      }
    }
  }

  async #renew(): Promise<boolean> {
    const { leases, clock } = this.#options;
    const renewedMs = clock.monotonicMs();
    const isRenewed = await leases.renew(this.key, this.#token, this.#ttlMs);
    if (isRenewed) this.#renewedMs = renewedMs;
    return isRenewed;
  }
}
