import type { NewAuditRecord } from "../records/audit-log.ts";
import type { AgentSessionStore } from "./agent-session-store.ts";
import type { ReplicaStore } from "./replica-store.ts";

/** What the server knows of agents: who may join, who has joined with which key, and who is connected where. */
export interface AgentStore {
  /** `NotFound` when there is no such Cluster, `Conflict` when it is being deleted. */
  createJoinToken(token: NewJoinToken, audit?: () => NewAuditRecord): Promise<ClusterIdentity>;
  /**
   * Uses a join token up and registers the key, in one transaction. The key becomes the only one of its cluster: those
   * from before are revoked. The same token with the same key and cluster again is answered again.
   */
  join(
    attempt: JoinAttempt,
    audit?: (outcome: JoinOutcome) => NewAuditRecord | undefined,
  ): Promise<JoinOutcome>;
  find(agentId: string): Promise<Agent | undefined>;
  /** Which of these agents may not be connected any more: revoked, unknown, or of a Cluster that is gone. */
  findEnded(agentIds: readonly string[]): Promise<string[]>;
  /**
   * Revokes every key of a cluster, with their sessions, and the join tokens nobody has used. `NotFound` when there is
   * no such Cluster.
   */
  revoke(cluster: string, audit?: (revoked: Revoked) => NewAuditRecord): Promise<Revoked>;
  readonly sessions: AgentSessionStore;
  readonly replicas: ReplicaStore;
}

/** A Cluster, by the name people know and the id that is never given again. */
export interface ClusterIdentity {
  readonly id: string;
  readonly name: string;
}

export interface NewJoinToken {
  /** Of the secret in the token. */
  readonly hash: string;
  /** Name of the Cluster. */
  readonly cluster: string;
  readonly expiresAtMs: number;
}

export interface JoinAttempt {
  readonly tokenHash: string;
  /** Ed25519, 32 bytes as base64url. */
  readonly publicKey: string;
  readonly clusterUid: string;
}

/**
 * Why an agent may not join:
 * - `unknown-token`: no such token, or its Cluster is gone
 * - `used-token`: somebody has joined with it, with another key or from another cluster
 * - `expired-token`: its time is over, or it was revoked
 * - `other-cluster`: an agent of another cluster has joined as this Cluster
 * - `used-key`: the key belongs to an agent of another Cluster, or was revoked
 */
export type JoinRefusal = "unknown-token" | "used-token" | "expired-token" | "other-cluster" | "used-key";

export type JoinOutcome =
  | { readonly agent: Agent; readonly cluster: ClusterIdentity; readonly refusal?: undefined }
  | {
      readonly refusal: JoinRefusal;
      readonly cluster?: ClusterIdentity | undefined;
      readonly agent?: undefined;
    };

export interface Agent {
  readonly id: string;
  readonly clusterId: string;
  /** Missing when the Cluster is gone. */
  readonly clusterName?: string | undefined;
  /** Ed25519, 32 bytes as base64url. */
  readonly publicKey: string;
  readonly clusterUid: string;
  /** Counts the keys of a cluster. */
  readonly generation: number;
  readonly revokedAtMs?: number | undefined;
}

export interface Revoked {
  readonly cluster: ClusterIdentity;
  readonly agentIds: readonly string[];
  readonly joinTokens: number;
}
