import { BowlineError } from "@bowline/core";
import { edgeTypes } from "@bowline/graph";

import type { Neo4jDatabase } from "./neo4j-database.ts";

/** On every node of the graph, beside its kind: what makes it ours, and what its key is unique among. */
const nodeLabel = "Bowline";

/** On the notes that we keep for ourselves: how far the copy is, who selects what, who waits for a name. */
const noteLabels = ["BowlineCursor", "BowlineSelection", "BowlineRival"] as const;

/** Kinds that people begin their questions with. */
const kindsFoundByName = [
  "Pod",
  "Secret",
  "ConfigMap",
  "ServiceAccount",
  "Service",
  "Deployment",
  "ContainerImage",
  "User",
  "Group",
] as const;

/** Constraints and indexes. Without them, each row of a batch would look through all nodes there are. */
const schemaStatements: readonly string[] = [
  `CREATE CONSTRAINT bowline_key IF NOT EXISTS FOR (n:${nodeLabel}) REQUIRE n.key IS UNIQUE`,
  "CREATE CONSTRAINT bowline_cursor IF NOT EXISTS FOR (n:BowlineCursor) REQUIRE n.cluster IS UNIQUE",
  `CREATE INDEX bowline_said_by IF NOT EXISTS FOR (n:${nodeLabel}) ON (n.saidBy)`,
  `CREATE INDEX bowline_place IF NOT EXISTS FOR (n:${nodeLabel}) ON (n.cluster, n.kind, n.namespace)`,
  "CREATE INDEX bowline_selection_said_by IF NOT EXISTS FOR (n:BowlineSelection) ON (n.saidBy)",
  "CREATE INDEX bowline_selection_scope IF NOT EXISTS FOR (n:BowlineSelection) ON (n.scope)",
  "CREATE INDEX bowline_rival_said_by IF NOT EXISTS FOR (n:BowlineRival) ON (n.saidBy)",
  "CREATE INDEX bowline_rival_key IF NOT EXISTS FOR (n:BowlineRival) ON (n.key)",
  ...edgeTypes.map((type) => {
    const name = `bowline_said_by_${type.toLowerCase()}`;
    return `CREATE INDEX ${name} IF NOT EXISTS FOR ()-[r:${type}]-() ON (r.saidBy)`;
  }),
  ...kindsFoundByName.map((kind) => {
    const name = `bowline_name_${kind.toLowerCase()}`;
    return `CREATE INDEX ${name} IF NOT EXISTS FOR (n:${kind}) ON (n.name)`;
  }),
];

interface PrepareOptions {
  /** Names this installation: two of them must not write to one database. */
  readonly owner: string;
  /** Whether the database may hold nodes of others. */
  readonly shared: boolean;
}

/**
 * Takes the database for this installation and makes its constraints and indexes. `Conflict` where it holds something
 * that is not ours, or belongs to another installation.
 */
export async function prepareDatabase(
  database: Neo4jDatabase,
  { owner, shared }: PrepareOptions,
  signal?: AbortSignal,
): Promise<void> {
  if (!shared) await requireOwnDatabase(database, signal);
  // Statements about the schema do not go into a transaction with data, or with much of their own kind.
  for (const statement of schemaStatements) {
    await database.transaction((run) => run(statement), signal);
  }
  await database.transaction((run) => run("CALL db.awaitIndexes(100)"), signal);
  const [claimed] = await database.transaction(
    (run) =>
      run<{ owner: string }>(
        "MERGE (c:BowlineCursor {cluster: ''}) ON CREATE SET c.owner = $owner RETURN c.owner AS owner",
        { owner },
      ),
    signal,
  );
  if (claimed?.owner === owner) return;
  throw new BowlineError(
    "Conflict",
    `The database of Neo4j at ${database.address} belongs to another installation of Bowline. Give each a database of its own.`,
    { retryable: false },
  );
}

async function requireOwnDatabase(database: Neo4jDatabase, signal?: AbortSignal): Promise<void> {
  const [counts] = await database.transaction(
    (run) => run<{ all: number; ours: number }>(countStatement),
    signal,
  );
  if (counts === undefined || counts.all <= counts.ours) return;
  throw new BowlineError(
    "Conflict",
    `The database of Neo4j at ${database.address} holds nodes that are not of Bowline: ${counts.all - counts.ours} of ${counts.all}. ` +
      "Give Bowline a database of its own, or allow it to share one.",
    { retryable: false },
  );
}

/** Neo4j keeps these numbers: none of them looks at nodes. */
const countStatement = [
  "CALL { MATCH (n) RETURN count(n) AS all }",
  ...[nodeLabel, ...noteLabels].map(
    (label, index) => `CALL { MATCH (n:${label}) RETURN count(n) AS ours${index} }`,
  ),
  `RETURN all, ${[nodeLabel, ...noteLabels].map((_, index) => `ours${index}`).join(" + ")} AS ours`,
].join("\n");
