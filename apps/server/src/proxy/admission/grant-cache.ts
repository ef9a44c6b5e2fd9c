import { AccessGrant, Cluster, type Kind, type ObjectOf } from "@bowline/api";
import { allPages, BowlineError, type Clock, type Random } from "@bowline/core";

import { grantsFor, grantsReaching, type ClusterAccess, type Identity } from "@bowline/auth";
import { LogInformer, typed, type Change, type Store } from "@bowline/store";

export interface GrantCacheOptions {
  readonly store: Pick<Store, "objects" | "changes">;
  readonly clock: Clock;
  readonly random: Random;
}

const kinds = [AccessGrant.kind, Cluster.kind];
/** Timers take no longer delays than some weeks. */
const maxTimerMs = 3_600_000;

/**
 * Grants from memory, by user and cluster: no request waits for the database. It follows the changes of grants and
 * clusters, and what it worked out for somebody holds until one of them changes or expires.
 *
 * How long it may be without news is not its concern: authentication admits nobody when changes cannot be heard of.
 */
export class GrantCache {
  readonly #options: GrantCacheOptions;
  readonly #informer: LogInformer<Change>;
  readonly #grants = new Map<string, AccessGrant>();
  readonly #clusters = new Map<string, Cluster>();
  #worked = new WeakMap<Identity, Map<string, readonly ClusterAccess[]>>();
  /** When the next grant expires. */
  #expiresAtMs = Infinity;
  #cancelExpiry = (): void => {};
  #isLoaded = false;
  #isClosed = false;
  readonly #listeners = new Set<() => void>();

  constructor(options: GrantCacheOptions) {
    this.#options = options;
    this.#informer = new LogInformer({
      ...options,
      log: options.store.changes,
      kinds,
      list: () => this.#load(),
      handle: (changes) => this.#apply(changes),
      // A revocation may have been missed.
      onLost: () => (this.#isLoaded = false),
    });
  }

  /** Resolves when it knows everything. Rejects when the database does not answer. */
  start(): Promise<void> {
    return this.#informer.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelExpiry();
    await this.#informer.close();
  }

  /**
   * Calls back when somebody may have gained or lost access (a grant or the labels of a cluster have changed, or a grant
   * has expired) until the returned function is called.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cluster(name: string): Cluster | undefined {
    return this.#clusters.get(name);
  }

  /** The clusters there are, by name. */
  clusters(): Cluster[] {
    return [...this.#clusters.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** The grants of somebody in a cluster, by name; empty for none. `NotFound` when there is no such cluster. */
  accessTo(identity: Identity, clusterName: string): readonly ClusterAccess[] {
    if (!this.#isLoaded) {
      throw new BowlineError("ServerUnavailable", "The server is reading the grants; try again.");
    }
    if (this.#options.clock.now() >= this.#expiresAtMs) this.#forget();
    const ofIdentity = this.#worked.get(identity) ?? new Map<string, readonly ClusterAccess[]>();
    const known = ofIdentity.get(clusterName);
    if (known !== undefined) return known;
    const cluster = this.#clusters.get(clusterName);
    if (cluster === undefined) {
      throw new BowlineError("NotFound", `There is no cluster named ${clusterName}.`);
    }
    const accesses = grantsFor(identity, cluster, this.#inOrder(), this.#options.clock.now());
    ofIdentity.set(clusterName, accesses);
    this.#worked.set(identity, ofIdentity);
    return accesses;
  }

  /**
   * Grants that let anybody reach a cluster, by name; none for a cluster that is none. Of an earlier time those that were
   * there and had not expired, as they are now: what they were before, and those that are gone, nobody knows here.
   */
  grantsTo(clusterName: string, atMs: number = this.#options.clock.now()): readonly AccessGrant[] {
    const cluster = this.#clusters.get(clusterName);
    if (cluster === undefined) return [];
    const known = this.#inOrder().filter(({ metadata }) => Date.parse(metadata.createdAt) <= atMs);
    return grantsReaching(cluster, known, atMs);
  }

  /** By name: which of several grants counts should not depend on which was written last. */
  #inOrder(): AccessGrant[] {
    return [...this.#grants.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  async #load(): Promise<void> {
    const [grants, clusters] = [await this.#listAll(AccessGrant), await this.#listAll(Cluster)];
    this.#grants.clear();
    for (const grant of grants) this.#grants.set(grant.metadata.name, grant);
    this.#clusters.clear();
    for (const cluster of clusters) this.#clusters.set(cluster.metadata.name, cluster);
    this.#isLoaded = true;
    this.#forget();
  }

  #listAll<K extends Kind>(kind: K): Promise<ObjectOf<K>[]> {
    return allPages((cursor) => this.#options.store.objects.list(kind, { cursor }));
  }

  #apply(changes: readonly Change[]): void {
    const matters = changes.map((change) =>
      change.kind === Cluster.kind ? this.#applyCluster(change) : this.#applyGrant(change),
    );
    if (matters.includes(true)) this.#forget();
  }

  #applyGrant(change: Change): boolean {
    if (change.revision <= revisionOf(this.#grants.get(change.name))) return false;
    if (change.type === "DELETED") this.#grants.delete(change.name);
    else this.#grants.set(change.name, typed(AccessGrant, change.object));
    return true;
  }

  /** Agents report to the status of clusters all the time; grants ask for their labels only. */
  #applyCluster(change: Change): boolean {
    const before = this.#clusters.get(change.name);
    if (change.revision <= revisionOf(before)) return false;
    if (change.type === "DELETED") return this.#clusters.delete(change.name);
    const now = typed(Cluster, change.object);
    this.#clusters.set(change.name, now);
    return before === undefined || claimsOf(before) !== claimsOf(now);
  }

  #forget(): void {
    this.#worked = new WeakMap();
    this.#armExpiry();
    for (const listener of this.#listeners) listener();
  }

  #armExpiry(): void {
    const { clock } = this.#options;
    const nowMs = clock.now();
    this.#expiresAtMs = Infinity;
    for (const { spec } of this.#grants.values()) {
      const endMs = spec.expiresAt === undefined ? Infinity : Date.parse(spec.expiresAt);
      if (endMs > nowMs) this.#expiresAtMs = Math.min(this.#expiresAtMs, endMs);
    }
    this.#cancelExpiry();
    if (this.#expiresAtMs === Infinity || this.#isClosed) return;
    this.#cancelExpiry = clock.after(Math.min(maxTimerMs, this.#expiresAtMs - nowMs), () => {
      if (clock.now() >= this.#expiresAtMs) this.#forget();
      else this.#armExpiry();
    });
  }
}

function revisionOf(object: AccessGrant | Cluster | undefined): number {
  return object === undefined ? -1 : Number(object.metadata.resourceVersion);
}

/** The contents of grants, as text to compare. */
function claimsOf({ metadata }: Cluster): string {
  return JSON.stringify([metadata.id, metadata.labels]);
}
