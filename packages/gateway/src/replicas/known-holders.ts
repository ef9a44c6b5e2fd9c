import type { Clock } from "@bowline/core";

import type { Announcement } from "./announcement.ts";

export interface KnownHoldersOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Whether replicas are heard when something changes. */
  readonly isTold: () => boolean;
}

/** How long to believe what was looked up, where nobody tells when it changes. */
const believedMs = 5_000;
/** More clusters than an installation has; beyond it, those that were learned first are looked up again. */
const maxClusters = 100_000;

interface Holders {
  readonly replicas: ReadonlySet<string>;
  readonly learnedMs: number;
}

/**
 * Which replicas hold agents of which cluster, as far as it is known here. It may be wrong: a replica that is asked and
 * does not hold the agent says so, and whoever is not known here is looked up.
 */
export class KnownHolders {
  readonly #options: KnownHoldersOptions;
  readonly #byCluster = new Map<string, Holders>();
  /** The last that each replica has said. */
  readonly #epochs = new Map<string, number>();

  constructor(options: KnownHoldersOptions) {
    this.#options = options;
  }

  /** Undefined when it has to be looked up. */
  of(cluster: string): ReadonlySet<string> | undefined {
    const known = this.#byCluster.get(cluster);
    if (known === undefined || this.#options.isTold()) return known?.replicas;
    return this.#nowMs() - known.learnedMs < believedMs ? known.replicas : undefined;
  }

  /** However long ago it was learned: for when it cannot be looked up. */
  remembered(cluster: string): ReadonlySet<string> | undefined {
    return this.#byCluster.get(cluster)?.replicas;
  }

  /** It was looked up. */
  learn(cluster: string, replicas: Iterable<string>): void {
    this.#set(cluster, new Set(replicas));
  }

  hear(announcement: Announcement): void {
    const { replica, epoch } = announcement;
    if (epoch <= (this.#epochs.get(replica) ?? -1)) return;
    this.#epochs.set(replica, epoch);
    switch (announcement.event) {
      case "came":
      case "leaves":
        return this.forgetReplica(replica);
      case "lost":
        return this.forget(announcement.cluster, replica);
      case "holds":
        return this.#set(announcement.cluster, new Set(this.remembered(announcement.cluster)).add(replica));
    }
  }

  forget(cluster: string, replica: string): void {
    const known = this.#byCluster.get(cluster);
    if (known?.replicas.has(replica) !== true) return;
    const replicas = new Set(known.replicas);
    replicas.delete(replica);
    if (replicas.size === 0) this.#byCluster.delete(cluster);
    else this.#byCluster.set(cluster, { ...known, replicas });
  }

  forgetReplica(replica: string): void {
    for (const cluster of this.#byCluster.keys()) this.forget(cluster, replica);
  }

  /** No others will say anything any more. */
  retain(replicas: ReadonlySet<string>): void {
    for (const replica of this.#epochs.keys()) if (!replicas.has(replica)) this.#epochs.delete(replica);
  }

  /** Something may have been missed. */
  clear(): void {
    this.#byCluster.clear();
    this.#epochs.clear();
  }

  #set(cluster: string, replicas: ReadonlySet<string>): void {
    this.#byCluster.delete(cluster);
    if (replicas.size === 0) return;
    this.#byCluster.set(cluster, { replicas, learnedMs: this.#nowMs() });
    if (this.#byCluster.size <= maxClusters) return;
    const [oldest = ""] = this.#byCluster.keys();
    this.#byCluster.delete(oldest);
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}
