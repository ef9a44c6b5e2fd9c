import { canonicalJson } from "@bowline/core";
import { ClusterGraph, exportedEdges, exportedNodes, Graph } from "@bowline/graph";

import type { Neo4jDatabase } from "../neo4j-database.ts";
import type { MemorySource } from "./memory-source.ts";

/** The graph that a log leads to, built anew. */
export async function graphOf(source: MemorySource): Promise<Graph> {
  const clusters = await source.clusters();
  return new Graph(
    new Map(clusters.map((cluster) => [cluster.name, ClusterGraph.from(source.log(cluster).objects())])),
  );
}

/** All that a graph has to say, a line for each node and edge. */
export function linesOfGraph(graph: Graph): string[] {
  const nodes = exportedNodes(graph).map(({ id, properties, uid, ...node }) =>
    line({ ...properties, ...node, key: id, ...(uid === undefined ? {} : { uid }) }),
  );
  const edges = exportedEdges(graph).map(({ type, from, to, at, derived, properties }) =>
    line({ ...properties, type, from, to, at, ...(derived ? { derived } : {}) }),
  );
  return [...nodes, ...edges].toSorted();
}

/** The same of what is in Neo4j. */
export async function linesOfCopy(database: Neo4jDatabase): Promise<string[]> {
  const [nodes, edges] = await database.transaction(async (run) => [
    await run<{ node: Properties }>("MATCH (n:Bowline) RETURN properties(n) AS node"),
    await run<{ edge: Properties; type: string; from: string; to: string }>(
      "MATCH (a)-[r]->(b) RETURN properties(r) AS edge, type(r) AS type, a.key AS from, b.key AS to",
    ),
  ]);
  return [
    ...nodes.map(({ node }) => line(withoutNotes(node))),
    ...edges.map(({ edge, ...ends }) => line({ ...withoutNotes(edge), ...ends })),
  ].toSorted();
}

/** Properties that the graph in memory has elsewhere, or not at all. */
function withoutNotes(properties: Properties): Properties {
  const notes = new Set(["saidBy", "rules", "cut"]);
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !notes.has(name)));
}

/** How many nodes there are of each kind and edges of each type, as Neo4j counts labels and types. */
export async function countsOfCopy(
  database: Neo4jDatabase,
): Promise<{ kinds: Record<string, number>; types: Record<string, number> }> {
  return database.transaction(async (run) => {
    const kinds = await run<{ name: string; count: number }>(
      "MATCH (n:Bowline) UNWIND labels(n) AS name WITH name WHERE name <> 'Bowline' RETURN name, count(*) AS count",
    );
    const types = await run<{ name: string; count: number }>(
      "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS count",
    );
    return { kinds: record(kinds), types: record(types) };
  });
}

/** How many nodes there are of each kind, and edges of each type, in memory. */
export function countsOfGraph(graph: Graph): {
  kinds: Record<string, number>;
  types: Record<string, number>;
} {
  const kinds: Record<string, number> = {};
  const types: Record<string, number> = {};
  for (const node of graph.nodes()) {
    const kind = graph.kind(node);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    for (const { type } of graph.out(node)) types[type] = (types[type] ?? 0) + 1;
  }
  return { kinds, types };
}

type Properties = Record<string, unknown>;

function record(rows: readonly { readonly name: string; readonly count: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

function line(properties: Properties): string {
  return canonicalJson(properties);
}
