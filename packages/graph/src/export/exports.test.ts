import { expect, test } from "vitest";

import { ClusterGraph } from "../graph/cluster-graph.ts";
import { Graph } from "../graph/graph.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { cypherExport } from "./cypher.ts";
import { exportedEdges, exportedNodes } from "./exported-graph.ts";
import { dotExport, jsonExport } from "./text-exports.ts";

const hostile = 'a"b\\n`';

function graphOf(pods: number): Graph {
  const objects = Array.from({ length: pods }, (_, index) =>
    factsOf(`Pod/shop/web-${index}`, {
      properties: { labels: { app: "web" }, note: hostile },
      edges: [edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/volumes/0/secret", { optional: true })],
    }),
  );
  const service = factsOf("Service/shop/web", {
    selections: [
      {
        type: "SELECTS",
        kind: "Pod",
        namespace: "shop",
        at: "/spec/selector",
        selector: { matchLabels: { app: "web" } },
      },
    ],
  });
  return new Graph(new Map([["prod", ClusterGraph.from([...objects, service])]]));
}

test("JSON has every node and every edge", () => {
  const graph = graphOf(2);
  const document: unknown = JSON.parse([...jsonExport(graph)].join(""));
  const plain = (items: Iterable<object>): unknown => JSON.parse(JSON.stringify([...items]));
  expect(document).toEqual({ nodes: plain(exportedNodes(graph)), edges: plain(exportedEdges(graph)) });
  const none = [...jsonExport(new Graph(new Map()))].join("");
  expect(JSON.parse(none)).toEqual({ nodes: [], edges: [] });
});

test("what may not be seen is left out of every format, with its edges, and counted", () => {
  const graph = graphOf(1);
  const maySee = (node: number): boolean => graph.kind(node) !== "Secret";
  const options = { maySee, about: { cluster: "prod\u2028" } };
  const document = JSON.parse([...jsonExport(graph, options)].join(""));
  expect(document).toMatchObject({ cluster: "prod\u2028", withheld: 2, edges: [{ type: "SELECTS" }] });
  for (const format of [cypherExport, dotExport]) {
    const text = [...format(graph, options)].join("");
    expect(text).not.toContain("Secret");
    expect(text.startsWith('// cluster: "prod "\n')).toBe(true);
    expect(text.endsWith("// withheld: 2\n")).toBe(true);
  }
});

test("DOT has a line for each node and edge, dashed where nobody has seen it or labels say so", () => {
  const lines = [...dotExport(graphOf(1))].join("").split("\n");
  expect(lines).toContain('  "prod/Pod/shop/web-0" [label="Pod\\nprod/shop/web-0"];');
  expect(lines).toContain('  "prod/Secret/shop/db" [label="Secret\\nprod/shop/db", style=dashed];');
  expect(lines).toContain(
    '  "prod/Service/shop/web" -> "prod/Pod/shop/web-0" [label="SELECTS", tooltip="/spec/selector", style=dashed];',
  );
});

test("Cypher has statements of at most 500 rows, and texts as literals", () => {
  const script = [...cypherExport(graphOf(1_200))];
  const rows = script.map((statement) => statement.split("\n").length - 3);
  expect(Math.max(...rows)).toBe(500);
  expect(script.join("")).toContain(`\`note\`: ${JSON.stringify(hostile)}`);
  expect(script.filter((statement) => statement.includes("n:`Pod`;"))).toHaveLength(3);
  expect(script.filter((statement) => statement.includes("[r:SELECTS]"))).toHaveLength(3);
});
