import type { Graph } from "../graph/graph.ts";
import { ExportedGraph, type ExportOptions } from "./exported-graph.ts";

/** One JSON document, a node or an edge on each line: `{"nodes": [...], "edges": [...], "withheld": 0}`. */
export function* jsonExport(graph: Graph, { about = {}, maySee }: ExportOptions = {}): Generator<string> {
  const exported = new ExportedGraph(graph, maySee);
  const fields = Object.entries(about).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`,
  );
  yield `{${fields.join("")}"nodes":[`;
  yield* lines(exported.nodes());
  yield '\n],"edges":[';
  yield* lines(exported.edges());
  yield maySee === undefined ? "\n]}\n" : `\n],"withheld":${exported.withheld}}\n`;
}

/** Lines that programs skip, for people. */
export function* comments(values: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(values)) {
    // Some programs take these for the end of a line.
    yield `// ${name}: ${JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/gu, " ")}\n`;
  }
}

function* lines(items: Iterable<object>): Generator<string> {
  let separator = "\n";
  for (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ",\n";
  }
}

/** A graph for the programs of Graphviz. What nobody has seen, and what follows from labels, is dashed. */
export function* dotExport(graph: Graph, { about = {}, maySee }: ExportOptions = {}): Generator<string> {
  const exported = new ExportedGraph(graph, maySee);
  yield* comments(about);
  yield "digraph bowline {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const { id, kind, cluster, namespace, name, observed } of exported.nodes()) {
    const place = [cluster, namespace, name].filter((part) => part !== "").join("/");
    const label = `${escaped(kind)}\\n${escaped(place)}`;
    yield `  ${quoted(id)} [label="${label}"${observed ? "" : ", style=dashed"}];\n`;
  }
  for (const { from, to, type, at, derived } of exported.edges()) {
    const style = derived ? ", style=dashed" : "";
    yield `  ${quoted(from)} -> ${quoted(to)} [label="${type}", tooltip=${quoted(at)}${style}];\n`;
  }
  yield "}\n";
  if (maySee !== undefined) yield* comments({ withheld: exported.withheld });
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** Graphviz takes a backslash for the beginning of an escape, and a line feed as it is. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
