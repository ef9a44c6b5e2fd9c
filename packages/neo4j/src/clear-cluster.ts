import { edgeTypes } from "@bowline/graph";

import type { Run } from "./neo4j-database.ts";

/** What one transaction removes: more would take memory of Neo4j. */
const limit = 10_000n;

const prefix = "saidBy STARTS WITH $prefix";

const edgeStatements = edgeTypes.map(
  (type) =>
    `MATCH ()-[r:${type}]->() WHERE r.${prefix} WITH r LIMIT $limit DELETE r RETURN count(*) AS removed`,
);

/** The index is used only when something is said about all it has. */
const inCluster =
  "MATCH (n:Bowline {cluster: $cluster}) WHERE n.kind IS NOT NULL AND n.namespace IS NOT NULL";

const nodeStatements = [
  `${inCluster} WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS removed`,
  ...["BowlineSelection", "BowlineRival"].map(
    (label) => `MATCH (s:${label}) WHERE s.${prefix} WITH s LIMIT $limit DELETE s RETURN count(*) AS removed`,
  ),
];

/** Images, users and groups that no cluster refers to any more. */
const looseStatement = `MATCH (n:Bowline {cluster: ''}) WHERE n.kind IS NOT NULL AND n.namespace IS NOT NULL AND NOT (n)--()
  WITH n LIMIT $limit DELETE n RETURN count(*) AS removed`;

/** Removes a part of what is there of a cluster; false when there was nothing any more. */
export async function clearSome(run: Run, cluster: string): Promise<boolean> {
  const parameters = { cluster, prefix: `${cluster}/`, limit };
  for (const statement of [...edgeStatements, ...nodeStatements, looseStatement]) {
    const [row] = await run<{ removed: number }>(statement, parameters);
    if (row !== undefined && row.removed > 0) return true;
  }
  return false;
}
