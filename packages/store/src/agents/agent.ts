import { Cluster } from "@bowline/api";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";

/** An agent that has joined, by its key. */
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

/** A Cluster, by the name people know and the id that is never given again. */
export interface ClusterIdentity {
  readonly id: string;
  readonly name: string;
}

export function agentOf(row: RowOf<"agents">, clusterName: string | undefined): Agent {
  return {
    id: row.id,
    clusterId: row.cluster_id,
    ...(clusterName === undefined ? {} : { clusterName }),
    publicKey: row.public_key,
    clusterUid: row.cluster_uid,
    generation: row.generation,
    ...(row.revoked_at === null ? {} : { revokedAtMs: row.revoked_at }),
  };
}

interface FoundCluster extends ClusterIdentity {
  readonly isDeleted: boolean;
}

/** The Cluster, locked so that nobody else changes its keys, or deletes it, before the commit. */
export function* lockCluster(
  { queries, dialect }: Engine,
  by: { readonly name: string } | { readonly id: string },
): Transaction<FoundCluster | undefined> {
  const [column, value] = "name" in by ? (["name", by.name] as const) : (["id", by.id] as const);
  const query = queries
    .selectFrom("objects")
    .select(["id", "name", "body"])
    .where("kind", "=", Cluster.kind)
    .where(column, "=", value);
  const row = yield* firstRowOf(dialect === "postgres" ? query.forUpdate() : query);
  if (row === undefined) return undefined;
  const { metadata }: Pick<Cluster, "metadata"> = JSON.parse(row.body);
  return { id: row.id, name: row.name, isDeleted: metadata.deletedAt !== undefined };
}
