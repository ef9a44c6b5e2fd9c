import type { RowOf } from "../engine/tables.ts";
import type { Agent } from "./agent-store.ts";

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
