import { describe, expect, test } from "vitest";

import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { ClusterGraph } from "./cluster-graph.ts";

const reader = factsOf("Pod/shop/web", {
  uid: "web-1",
  properties: { phase: "Running", labels: { app: "web", tier: "front" } },
  parts: [{ node: ref("Container/shop/web/containers/app"), properties: { privileged: true } }],
  edges: [
    edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
    edge("USES_SECRET", [1, "Secret/shop/db"], "/spec/containers/0/env/0/valueFrom/secretKeyRef", {
      key: "url",
    }),
  ],
});
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

function neighbours(graph: ClusterGraph, key: string, direction: "in" | "out"): string[] {
  const node = graph.find(ref(key));
  if (node === undefined) return [];
  return [...graph[direction](node)]
    .map(({ type, from, to, at }) => `${type} ${graph.key(direction === "in" ? from : to)} ${at}`)
    .toSorted();
}

describe("an object's facts", () => {
  test("are nodes and edges, both ways, with what the field says", () => {
    const graph = ClusterGraph.from([reader]);
    expect(neighbours(graph, "Secret/shop/db", "in")).toEqual([
      "USES_SECRET Container/shop/web/containers/app /spec/containers/0/env/0/valueFrom/secretKeyRef",
    ]);
    const node = graph.find(ref("Container/shop/web/containers/app")) ?? -1;
    expect(graph.properties(node)).toEqual({ privileged: true });
    expect([...graph.out(node)].map(({ properties }) => properties)).toEqual([{ key: "url" }]);
    expect(graph.facts("web-1")).toEqual(reader);
  });

  test("take the place of those before, and no edge stays behind", () => {
    const graph = ClusterGraph.from([reader]);
    graph.replace({ ...reader, parts: [], edges: [] });
    expect(graph.find(ref("Secret/shop/db"))).toBeUndefined();
    expect([graph.nodeCount, graph.edgeCount]).toEqual([1, 0]);
  });

  test("may refer to what nobody has seen, until the last reference goes", () => {
    const graph = ClusterGraph.from([reader]);
    const secret = graph.find(ref("Secret/shop/db")) ?? -1;
    expect([graph.observed(secret), graph.uid(secret)]).toEqual([false, undefined]);
    graph.replace(factsOf("Secret/shop/db"));
    graph.remove("web-1");
    expect([graph.nodeCount, graph.observed(graph.find(ref("Secret/shop/db")) ?? -1)]).toEqual([1, true]);
    graph.remove("uid:Secret/shop/db");
    expect([graph.nodeCount, graph.edgeCount, graph.objectCount]).toEqual([0, 0, 0]);
  });

  test("that name a member which is not there, or a type of a newer agent, lose that edge only", () => {
    const edges = [
      ...reader.edges,
      edge("HAS_CONTAINER", [0, 7], "/x"),
      { ...reader.edges[0], type: "NEWER" },
    ];
    const graph = ClusterGraph.from([{ ...reader, edges: edges as typeof reader.edges }]);
    expect(graph.edgeCount).toBe(2);
  });

  test("claim no part of another object", () => {
    const part = { node: ref("Container/shop/web/containers/app"), properties: { privileged: false } };
    const graph = ClusterGraph.from([
      reader,
      factsOf("Pod/shop/other", { parts: [part], edges: reader.edges }),
    ]);
    expect(graph.properties(graph.find(part.node) ?? -1)).toEqual({ privileged: true });
    graph.remove("uid:Pod/shop/other");
    expect(graph.facts("web-1")).toEqual(reader);
  });
});

describe("an object that was deleted and made again", () => {
  const older = { ...reader, properties: { ...reader.properties, createdAt: "2026-11-16T10:00:00Z" } };
  const newer = factsOf("Pod/shop/web", { uid: "web-0", properties: { createdAt: "2026-11-16T10:00:09Z" } });

  test.each([
    ["in the order of events", [older, newer]],
    ["the other way round", [newer, older]],
  ])("is the newer one, %s", (_, objects) => {
    const graph = ClusterGraph.from(objects);
    expect(graph.uid(graph.find(reader.node) ?? -1)).toBe("web-0");
    expect(graph.edgeCount).toBe(0);
    graph.remove("web-1");
    expect([graph.uid(graph.find(reader.node) ?? -1), graph.objectCount]).toEqual(["web-0", 1]);
  });

  test("is the older one again when the newer one goes first", () => {
    const graph = ClusterGraph.from([older, newer]);
    graph.remove("web-0");
    expect(graph.facts("web-1")).toEqual(older);
    expect(graph.edgeCount).toBe(2);
  });
});

describe("a selector", () => {
  test("is walked both ways, and follows the labels", () => {
    const graph = ClusterGraph.from([service, reader]);
    expect(neighbours(graph, "Service/shop/web", "out")).toEqual(["SELECTS Pod/shop/web /spec/selector"]);
    expect(neighbours(graph, "Pod/shop/web", "in")).toEqual(["SELECTS Service/shop/web /spec/selector"]);
    graph.replace({ ...reader, properties: { labels: { app: "other" } } });
    expect(neighbours(graph, "Service/shop/web", "out")).toEqual([]);
    expect(neighbours(graph, "Pod/shop/web", "in")).toEqual([]);
  });

  test.each([
    ["an empty one", {}, true],
    [
      "values of a list",
      { matchExpressions: [{ key: "tier", operator: "In", values: ["back", "front"] }] },
      true,
    ],
    [
      "values it must not have",
      { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["front"] }] },
      false,
    ],
    ["a label it must not have", { matchExpressions: [{ key: "old", operator: "DoesNotExist" }] }, true],
    ["one of two that is not so", { matchLabels: { app: "web", tier: "back" } }, false],
  ] as const)("matches by %s", (_, selector, matches) => {
    const [selection] = service.selections;
    const selecting = { ...service, selections: [{ ...selection, selector }] as typeof service.selections };
    const graph = ClusterGraph.from([reader, selecting]);
    expect(neighbours(graph, "Service/shop/web", "out").length).toBe(matches ? 1 : 0);
    expect(neighbours(graph, "Pod/shop/web", "in").length).toBe(matches ? 1 : 0);
  });

  test("selects in its namespace, and only what was seen", () => {
    const dangling = factsOf("Endpoints/shop/x", { edges: [edge("ROUTES_TO", [0, "Pod/shop/gone"], "/x")] });
    const [selection] = service.selections;
    const all = { ...service, selections: [{ ...selection, selector: {} }] as typeof service.selections };
    const graph = ClusterGraph.from([all, dangling, { ...reader, node: ref("Pod/other/web") }]);
    expect(neighbours(graph, "Service/shop/web", "out")).toEqual([]);
  });
});

test("a copy changes on its own", () => {
  const graph = ClusterGraph.from([service, reader]);
  const copy = graph.copy();
  copy.remove("web-1");
  copy.replace(factsOf("Pod/shop/new", { properties: { labels: { app: "web" } } }));
  expect(neighbours(graph, "Service/shop/web", "out")).toEqual(["SELECTS Pod/shop/web /spec/selector"]);
  expect(neighbours(copy, "Service/shop/web", "out")).toEqual(["SELECTS Pod/shop/new /spec/selector"]);
  expect(graph.facts("web-1")).toEqual(reader);
});
