import type { Graph } from "../graph/graph.ts";
import { exportedEdges, exportedNodes } from "./exported-graph.ts";

/** One JSON document, a node or an edge on each line: `{"nodes": [...], "edges": [...]}`. */
export function* jsonExport(graph: Graph): Generator<string> {
  yield '{"nodes":[';
  yield* lines(exportedNodes(graph));
  yield '\n],"edges":[';
  yield* lines(exportedEdges(graph));
  yield "\n]}\n";
}

function* lines(items: Iterable<object>): Generator<string> {
  let separator = "\n";
  for (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ",\n";
  }
}

/** A graph for the programs of Graphviz. What nobody has seen, and what follows from labels, is dashed. */
export function* dotExport(graph: Graph): Generator<string> {
  yield "digraph bowline {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const { id, kind, cluster, namespace, name, observed } of exportedNodes(graph)) {
    const place = [cluster, namespace, name].filter((part) => part !== "").join("/");
    const label = `${escaped(kind)}\\n${escaped(place)}`;
    yield `  ${quoted(id)} [label="${label}"${observed ? "" : ", style=dashed"}];\n`;
  }
  for (const { from, to, type, at, derived } of exportedEdges(graph)) {
    const style = derived ? ", style=dashed" : "";
    yield `  ${quoted(from)} -> ${quoted(to)} [label="${type}", tooltip=${quoted(at)}${style}];\n`;
  }
  yield "}\n";
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** Graphviz takes a backslash for the beginning of an escape, and a line feed as it is. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
