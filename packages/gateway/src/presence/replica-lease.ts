import { BowlineError, type Clock } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";

export interface ReplicaLeaseOptions {
  readonly leases: LeaseStore;
  /** Names this process among the replicas, and is never used again. */
  readonly owner: string;
  readonly clock: Clock;
  /** It had ended, and others may have taken the sessions of this process for abandoned. */
  readonly onRegained: () => void;
}

/** How long the others wait for a silent replica before they say that its agents are gone. */
export const replicaLeaseMs = 30_000;
const renewMs = replicaLeaseMs / 3;

/** Shows the other replicas that this one lives, and with it the sessions it holds. */
export class ReplicaLease {
  readonly key: string;
  readonly #options: ReplicaLeaseOptions;
  readonly #stop = new AbortController();
  #token = 0;
  #running: Promise<void> | undefined;

  constructor(options: ReplicaLeaseOptions) {
    this.#options = options;
    this.key = `gateway/${options.owner}`;
  }

  async start(): Promise<void> {
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
    const { leases, owner } = this.#options;
    const grant = await leases.tryAcquire(this.key, owner, replicaLeaseMs);
    if (grant === undefined) throw new BowlineError("Internal", `The lease ${this.key} belongs to another.`);
    this.#token = grant.token;
  }

  async #keep(): Promise<void> {
    const { leases, clock, onRegained } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await clock.sleep(renewMs, signal);
        if (await leases.renew(this.key, this.#token, replicaLeaseMs)) continue;
        await this.#acquire();
        onRegained();
      } catch {
        // Stopped, or the database cannot be reached, which others report; it is tried again.
      }
    }
  }
}
