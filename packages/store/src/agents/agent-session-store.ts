/**
 * Which sessions of agents are open, on all replicas.
 *
 * A row is written when a session opens and marked when it closes; it is removed once the status of its Cluster says so.
 * What is left of a replica that died has a lease that has ended, and is found by the others.
 */
export interface AgentSessionStore {
  open(sessions: readonly OpenSession[]): Promise<void>;
  /** They count no more. Leaves alone what belongs to a replica that lives, unless `lease` is its own. */
  close(ids: readonly string[], lease: string): Promise<void>;
  /** Their end has been told. Of a replica that was taken for dead and has come back, it leaves what it has written since. */
  remove(ids: readonly string[], lease: string): Promise<void>;
  /** Since when a cluster has been connected: when the oldest session began that is open; undefined when none is. */
  connectedSince(clusterId: string): Promise<number | undefined>;
  /** Sessions of replicas that are gone, at most `limit`. */
  listAbandoned(limit: number): Promise<AbandonedSession[]>;
}

export interface OpenSession {
  readonly id: string;
  readonly clusterId: string;
  /** The lease of the replica that holds it. */
  readonly lease: string;
  readonly openedAtMs: number;
}

export interface AbandonedSession {
  readonly id: string;
  readonly clusterId: string;
  /** Missing when the Cluster is gone. */
  readonly clusterName?: string | undefined;
}
