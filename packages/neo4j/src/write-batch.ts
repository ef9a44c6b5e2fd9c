import { edgeTypes, exportedId, type ObjectFacts } from "@bowline/graph";

import { BatchRows, saidByOf } from "./batch-rows.ts";
import { deriveEdges } from "./derived-edges.ts";
import type { Run } from "./neo4j-database.ts";
import { noteRivals, settleNames, type Candidate } from "./name-holders.ts";

/** The last word of an object in a batch. */
export interface ObjectChange {
  readonly uid: string;
  /** Missing when it is gone. */
  readonly facts?: ObjectFacts | undefined;
}

export interface BatchOptions {
  readonly run: Run;
  readonly cluster: string;
  /** What an object that waits for its name says now. */
  readonly facts: (uid: string) => Promise<ObjectFacts | undefined>;
}

/** Rows of a statement. More take memory on both sides, and gain nothing. */
const rowsPerStatement = 5_000;

/**
 * Puts what objects say in the place of what they said before. The same batch may be written twice: what they said is
 * removed first, by who said it.
 */
export async function writeBatch(options: BatchOptions, changes: Iterable<ObjectChange>): Promise<void> {
  const { run, cluster } = options;
  const last = new Map<string, ObjectFacts | undefined>();
  for (const { uid, facts } of changes) last.set(uid, facts);
  const sayers = [...last.keys()].map((uid) => saidByOf(cluster, uid));
  const touched = new Set<string>();
  const freed = await detach(run, sayers, touched);
  const candidates = [...last.values()].flatMap((facts): Candidate[] =>
    facts !== undefined && isObject(facts) ? [{ key: exportedId(cluster, facts.node), facts }] : [],
  );
  const { attached, losers, rivals } = await settleNames(options, { freed, candidates });
  await detach(run, losers, touched);
  await noteRivals(run, rivals);
  const rows = new BatchRows(cluster);
  for (const facts of attached) rows.add(facts);
  rows.finish();
  await attach(run, rows);
  await deriveEdges(run, rows, writeEdges);
  await removeLoose(run, touched);
}

/** Names of objects have no slash: it is what sets the parts of an object apart from other nodes. */
function isObject({ node }: ObjectFacts): boolean {
  return !node.name.includes("/");
}

/**
 * Removes all that these have said: their edges, their selections, and the properties of their nodes. The nodes stay,
 * for others may refer to them. Resolves to the keys of the objects.
 */
async function detach(run: Run, sayers: readonly string[], touched: Set<string>): Promise<string[]> {
  if (sayers.length === 0) return [];
  const ends = edgeTypes.map((type) =>
    run<{ from: string; to: string }>(
      `UNWIND $sayers AS sayer MATCH (a)-[r:${type} {saidBy: sayer}]->(b)
       WITH r, a.key AS from, b.key AS to DELETE r RETURN DISTINCT from, to`,
      { sayers },
    ),
  );
  const notes = ["BowlineSelection", "BowlineRival"].map((label) =>
    run(`UNWIND $sayers AS sayer MATCH (s:${label} {saidBy: sayer}) DELETE s`, { sayers }),
  );
  const stripped = run<{ key: string; isObject: boolean }>(
    `UNWIND $sayers AS sayer MATCH (n:Bowline {saidBy: sayer})
     WITH n, n.uid IS NOT NULL AS isObject
     SET n = {key: n.key, cluster: n.cluster, kind: n.kind, namespace: n.namespace, name: n.name, observed: false}
     RETURN n.key AS key, isObject`,
    { sayers },
  );
  // All are sent before the first is answered.
  const [pairs, nodes] = await Promise.all([Promise.all(ends), stripped, ...notes]);
  for (const { from, to } of pairs.flat()) touched.add(from).add(to);
  for (const { key } of nodes) touched.add(key);
  const keys = nodes.filter(({ isObject }) => isObject).map(({ key }) => key);
  // Labels that selected it are gone, whoever selects. Those who did may be loose now: never, for they are observed.
  await run("UNWIND $keys AS key MATCH (:Bowline {key: key})<-[r]-() WHERE r.derived DELETE r", { keys });
  return keys;
}

/** Sends all statements before the first is answered; Neo4j runs them one after the other. */
async function attach(run: Run, rows: BatchRows): Promise<void> {
  const described = [...rows.described].map(([label, nodes]) =>
    runRows(
      run,
      `UNWIND $rows AS row MERGE (n:Bowline {key: row.key}) SET n = row.properties, n:${label}`,
      nodes,
    ),
  );
  const referred = [...rows.referred].map(([label, nodes]) =>
    runRows(
      run,
      `UNWIND $rows AS row MERGE (n:Bowline {key: row.key}) ON CREATE SET n = row.properties, n:${label}`,
      nodes,
    ),
  );
  await Promise.all([...described, ...referred]);
  const edges = [...rows.edges].map(([type, of]) => writeEdges(run, type, of));
  const select = "UNWIND $rows AS row CREATE (s:BowlineSelection) SET s = row";
  await Promise.all([...edges, runRows(run, select, rows.selections)]);
}

async function writeEdges(run: Run, type: string, edges: readonly object[]): Promise<void> {
  await runRows(
    run,
    `UNWIND $rows AS row MATCH (a:Bowline {key: row.from}), (b:Bowline {key: row.to})
     CREATE (a)-[r:${type}]->(b) SET r = row.properties`,
    edges,
  );
}

/** Nodes that were referred to, and are no longer. */
async function removeLoose(run: Run, touched: ReadonlySet<string>): Promise<void> {
  await runRows(
    run,
    "UNWIND $rows AS key MATCH (n:Bowline {key: key}) WHERE n.observed = false AND NOT (n)--() DELETE n",
    [...touched],
  );
}

async function runRows(run: Run, statement: string, rows: readonly unknown[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await run(statement, { rows: rows.slice(start, start + rowsPerStatement) });
  }
}
