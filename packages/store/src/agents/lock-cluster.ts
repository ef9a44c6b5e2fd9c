import { Cluster } from "@bowline/api";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, type Program } from "../engine/program.ts";
import type { ClusterIdentity } from "./agent-store.ts";

interface FoundCluster extends ClusterIdentity {
  readonly isDeleted: boolean;
}

/** The Cluster, locked so that nobody else changes its keys, or deletes it, before the commit. */
export function* lockCluster(
  { queries, dialect }: Engine,
  by: { readonly name: string } | { readonly id: string },
): Program<FoundCluster | undefined> {
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
