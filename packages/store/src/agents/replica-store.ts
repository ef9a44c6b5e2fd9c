/** The servers that take agents, and requests for them: those whose lease lasts, and that are not about to stop. */
export interface ReplicaStore {
  /** Makes one known, or changes what is known of it, and forgets those that have died. */
  register(replica: Replica): Promise<void>;
  /** It takes nothing new any more. */
  remove(id: string): Promise<void>;
  list(): Promise<Replica[]>;
  /** Those that have a session with an agent of the cluster of this name, the latest session first. */
  holdersOf(cluster: string): Promise<Replica[]>;
}

export interface Replica {
  /** Names the process, and is never used again. */
  readonly id: string;
  /** Key of the lease that lasts while it lives. */
  readonly lease: string;
  /** Where other replicas reach it. */
  readonly url: string;
  /** Where agents reach it, or a load balancer before it. */
  readonly agentUrls: readonly string[];
}
