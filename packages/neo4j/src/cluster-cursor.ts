import { BowlineError } from "@bowline/core";

import type { SourceCluster, SourcePlace } from "./graph-source.ts";
import type { Run } from "./neo4j-database.ts";

/**
 * How far the copy of a cluster is. It is kept in Neo4j itself, and moves in the transaction that writes what it tells
 * of: whoever dies in between has written both or neither.
 *
 * - clearing: all that is there is removed, because it is not known how it differs
 * - loading: what objects say now is read page by page
 * - following: what has changed since is read
 */
export interface ClusterCursor {
  /** Which cluster of that name it is. */
  readonly id: string;
  readonly state: "clearing" | "loading" | "following";
  /** Everything up to this change is there, once it is following. */
  readonly change: number;
  /** While loading: the place behind the last page that is there. */
  readonly place: SourcePlace | undefined;
  /** Counts its moves: one who has not seen the last one may not move it. */
  readonly moves: number;
}

interface CursorRow extends Record<string, unknown> {
  readonly id: string;
  readonly state: ClusterCursor["state"];
  readonly change: number;
  readonly place: string | null;
  readonly moves: number;
}

/** The beginning of a copy. The number is that of the source before its first page is read. */
export function startOf({ id }: SourceCluster, head: number): Omit<ClusterCursor, "moves"> {
  return { id, state: "loading", change: head, place: undefined };
}

export async function readCursor(run: Run, cluster: string): Promise<ClusterCursor | undefined> {
  const [row] = await run<CursorRow>(
    `MATCH (c:BowlineCursor {cluster: $cluster})
     RETURN c.id AS id, c.state AS state, c.change AS change, c.place AS place, c.moves AS moves`,
    { cluster },
  );
  if (row === undefined) return undefined;
  return { ...row, place: row.place === null ? undefined : (JSON.parse(row.place) as SourcePlace) };
}

/** `Conflict` when another one has moved it. Locks it until the end of the transaction. */
export async function moveCursor(
  run: Run,
  cluster: string,
  before: ClusterCursor | undefined,
  next: Omit<ClusterCursor, "moves">,
): Promise<ClusterCursor> {
  const moves = (before?.moves ?? 0) + 1;
  const [moved] = await run(
    `MERGE (c:BowlineCursor {cluster: $cluster}) ON CREATE SET c.moves = 0
     SET c.locked = true REMOVE c.locked
     WITH c WHERE c.moves = $before
     SET c.id = $id, c.state = $state, c.change = $change, c.place = $place, c.moves = $before + 1, c.at = datetime()
     RETURN c.moves`,
    {
      cluster,
      id: next.id,
      state: next.state,
      before: BigInt(moves - 1),
      change: BigInt(next.change),
      place: next.place === undefined ? null : JSON.stringify(next.place),
    },
  );
  if (moved !== undefined) return { ...next, moves };
  throw new BowlineError("Conflict", `Another server writes to the copy of cluster "${cluster}".`);
}

/** The clusters of which there is something. */
export async function copiedClusters(run: Run): Promise<string[]> {
  const rows = await run<{ cluster: string }>(
    "MATCH (c:BowlineCursor) WHERE c.cluster <> '' RETURN c.cluster AS cluster",
  );
  return rows.map(({ cluster }) => cluster);
}

export async function removeCursor(run: Run, cluster: string): Promise<void> {
  await run("MATCH (c:BowlineCursor {cluster: $cluster}) DELETE c", { cluster });
}
