import type { Graph } from "../graph/graph.ts";
import { ExportedGraph, type ExportOptions } from "./exported-graph.ts";
import type { FlatProperties } from "./flat-properties.ts";
import { comments } from "./text-exports.ts";

/** Rows of one statement: cypher-shell reads a statement as a whole. */
const rowsPerStatement = 500;

/** A label for a kind, safe to stand in a statement: a cluster may send anything as the name of a kind. */
export function cypherLabel(kind: string): string {
  return `\`${kind.replaceAll(/[^A-Za-z0-9_.-]/gu, "_")}\``;
}

/**
 * A script for an empty database of Neo4j, statement by statement: `cypher-shell < graph.cypher`. Nodes and relationships
 * are those of the copy that the server keeps.
 */
export function* cypherExport(graph: Graph, { about = {}, maySee }: ExportOptions = {}): Generator<string> {
  const exported = new ExportedGraph(graph, maySee);
  yield* comments(about);
  yield "CREATE CONSTRAINT bowline_key IF NOT EXISTS FOR (n:Bowline) REQUIRE n.key IS UNIQUE;\n";
  yield* statements(
    nodeRows(exported),
    (label) => `MERGE (n:Bowline {key: row.key}) SET n = row.properties, n:${label}`,
  );
  yield* statements(
    edgeRows(exported),
    (type) =>
      `MATCH (a:Bowline {key: row.from}), (b:Bowline {key: row.to}) CREATE (a)-[r:${type}]->(b) SET r = row.properties`,
  );
  if (maySee !== undefined) yield* comments({ withheld: exported.withheld });
}

/** A row, and the label or type that its statement is for. */
type Row = readonly [group: string, literal: string];

function* nodeRows(exported: ExportedGraph): Generator<Row> {
  for (const { id, properties, uid, ...identity } of exported.nodes()) {
    const all = { ...properties, ...identity, key: id, ...(uid === undefined ? {} : { uid }) };
    yield [cypherLabel(identity.kind), `{key: ${text(id)}, properties: ${map(all)}}`];
  }
}

function* edgeRows(exported: ExportedGraph): Generator<Row> {
  for (const { type, from, to, at, derived, properties } of exported.edges()) {
    const all = { ...properties, at, ...(derived ? { derived } : {}) };
    yield [type, `{from: ${text(from)}, to: ${text(to)}, properties: ${map(all)}}`];
  }
}

/** Gathers the rows of each label or type, never more of them than one statement has. */
function* statements(rows: Iterable<Row>, work: (group: string) => string): Generator<string> {
  const waiting = new Map<string, string[]>();
  const statement = (group: string, literals: readonly string[]): string =>
    `UNWIND [\n${literals.join(",\n")}\n] AS row ${work(group)};\n`;
  for (const [group, literal] of rows) {
    const literals = waiting.get(group) ?? [];
    waiting.set(group, literals);
    if (literals.push(literal) < rowsPerStatement) continue;
    yield statement(group, literals);
    waiting.delete(group);
  }
  for (const [group, literals] of waiting) yield statement(group, literals);
}

function map(properties: FlatProperties): string {
  const entries = Object.entries(properties).map(
    ([name, value]) => `\`${name.replaceAll(/[^A-Za-z0-9_]/gu, "_")}\`: ${literal(value)}`,
  );
  return `{${entries.join(", ")}}`;
}

function literal(value: FlatProperties[string]): string {
  if (typeof value === "string") return text(value);
  return Array.isArray(value) ? `[${value.map(text).join(", ")}]` : String(value);
}

/** Cypher understands the escapes of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
