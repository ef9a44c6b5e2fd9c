import { canonicalJson } from "@bowline/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { EdgeEnd, EdgeFacts, ObjectFacts, SelectionFacts } from "../model/object-facts.ts";
import { factsOf, ref } from "../testing/facts-of.ts";
import { ClusterGraph } from "./cluster-graph.ts";

/** Few names, so that objects meet: as rivals for a name, as ends of the same edges, with the same labels. */
const key = fc.constantFrom("Pod/a/x", "Pod/a/y", "Pod/b/x", "Service/a/x", "Secret/a/x", "ReplicaSet/b/x");
const uid = fc.constantFrom("u1", "u2", "u3", "u4", "u5", "u6");
const labels = fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("web", "db"), { maxKeys: 2 });
const end: fc.Arbitrary<EdgeEnd> = fc.oneof(fc.nat(3), key.map(ref));
const edgeFacts: fc.Arbitrary<EdgeFacts> = fc.record({
  type: fc.constantFrom("OWNS", "USES_SECRET", "ROUTES_TO"),
  from: end,
  to: end,
  at: fc.constantFrom("/spec/a", "/spec/b"),
});
const selection: fc.Arbitrary<SelectionFacts> = fc.record({
  type: fc.constant("SELECTS"),
  kind: fc.constant("Pod"),
  namespace: fc.constantFrom("a", "b"),
  selector: fc.oneof(
    fc.record({ matchLabels: labels }),
    fc.constant({ matchExpressions: [{ key: "app", operator: "NotIn" as const, values: ["web"] }] }),
  ),
  at: fc.constant("/spec/selector"),
});
const facts: fc.Arbitrary<ObjectFacts> = fc
  .record({
    key,
    uid,
    labels,
    phase: fc.constantFrom("Running", "Failed"),
    createdAt: fc.option(fc.constantFrom("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z"), { nil: undefined }),
    parts: fc.uniqueArray(fc.constantFrom("c1", "c2"), { maxLength: 2 }),
    edges: fc.array(edgeFacts, { maxLength: 5 }),
    selections: fc.array(selection, { maxLength: 2 }),
  })
  .map(({ key, uid, labels, phase, createdAt, parts, edges, selections }) =>
    factsOf(key, {
      uid,
      edges,
      selections,
      properties: { phase, labels, ...(createdAt === undefined ? {} : { createdAt }) },
      parts: parts.map((part) => ({
        node: ref(`${partKind(key)}/${ref(key).namespace}/x/${part}`),
        properties: { part },
      })),
    }),
  );
/** Few objects that say nothing new but of themselves, as most of what is told. */
const renewed = fc
  .record({
    labels,
    phase: fc.constantFrom("Running", "Failed"),
    selections: fc.array(selection, { maxLength: 2 }),
  })
  .map(({ labels: own, phase, selections }) =>
    factsOf("Pod/a/x", {
      uid: "u1",
      selections,
      properties: { phase, labels: own },
      parts: [{ node: ref("PartOfPod/a/x/c1"), properties: { phase } }],
      edges: [
        { type: "OWNS", from: 0, to: 1, at: "/spec/a" },
        {
          type: "USES_SECRET",
          from: 1,
          to: ref("Secret/a/x"),
          at: "/spec/b",
          properties: { optional: true },
        },
      ],
    }),
  );
type Action = { readonly replace: ObjectFacts } | { readonly remove: string };
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: facts.map((replace) => ({ replace })) },
  { weight: 2, arbitrary: renewed.map((replace) => ({ replace })) },
  uid.map((remove) => ({ remove })),
);

/** Only objects called x have parts of their own here; those of others are refused. Each kind has its own. */
function partKind(key: string): string {
  return `PartOf${ref(key).kind}`;
}

/** All that a graph has to say, in an order of its own. */
function described(graph: ClusterGraph): string[] {
  return [...graph.nodes()]
    .flatMap((node) => [
      `${graph.key(node)} ${graph.uid(node)} ${graph.observed(node)} ${canonicalJson(graph.properties(node))}`,
      ...[...graph.out(node)].map((edge) => `out ${describedEdge(graph, edge)}`),
      ...[...graph.in(node)].map((edge) => `in ${describedEdge(graph, edge)}`),
    ])
    .toSorted();
}

function describedEdge(
  graph: ClusterGraph,
  edge: { from: number; to: number; type: string; at: string },
): string {
  return `${graph.key(edge.from)} ${edge.type} ${graph.key(edge.to)} ${edge.at}`;
}

test("a graph is what its objects say, whatever they said before and in whichever order", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: "max" }), fc.nat(59), (actions, copyAt) => {
      let graph = new ClusterGraph();
      const surviving = new Map<string, ObjectFacts>();
      for (const [index, action] of actions.entries()) {
        if (index === copyAt) graph = graph.copy();
        if ("replace" in action) {
          graph.replace(action.replace);
          surviving.set(action.replace.uid, action.replace);
        } else {
          graph.remove(action.remove);
          surviving.delete(action.remove);
        }
      }
      const rebuilt = ClusterGraph.from([...surviving.values()].toReversed());
      expect(described(graph)).toEqual(described(rebuilt));
      expect([graph.nodeCount, graph.edgeCount, graph.objectCount]).toEqual([
        rebuilt.nodeCount,
        rebuilt.edgeCount,
        surviving.size,
      ]);
      expect(described(ClusterGraph.from(graph.objects()))).toEqual(described(graph));
      for (const uid of surviving.keys()) graph.remove(uid);
      expect([graph.nodeCount, graph.edgeCount, graph.objectCount]).toEqual([0, 0, 0]);
    }),
    { numRuns: 300 },
  );
});

test("edges into a node are those out of the others, derived ones included", () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 20, size: "max" }), (objects) => {
      const graph = ClusterGraph.from(objects);
      const [out, into] = (["out", "in"] as const).map((direction) =>
        [...graph.nodes()]
          .flatMap((node) => [...graph[direction](node)].map((edge) => describedEdge(graph, edge)))
          .toSorted(),
      );
      expect(into).toEqual(out);
    }),
    { numRuns: 200 },
  );
});
