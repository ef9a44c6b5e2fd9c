import { expect, test } from "vitest";

import { ClusterGraph } from "../graph/cluster-graph.ts";
import { Graph } from "../graph/graph.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { exportedEdges, exportedNodes } from "./exported-graph.ts";
import { flatProperties, mapOfFlat } from "./flat-properties.ts";

const pod = factsOf("Pod/shop/web-0", {
  properties: { phase: "Running", labels: { app: "web", tier: "a=b" }, priority: 3 },
  edges: [
    edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/volumes/0/secret", { optional: true }),
    edge("RUNS_IMAGE", [0, "ContainerImage//sha256:11"], "/spec/containers/0/image"),
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

test("of two clusters everything is exported once, images among them, with edges that follow from labels", () => {
  const graph = new Graph(
    new Map(["prod", "test"].map((name) => [name, ClusterGraph.from([pod, service])] as const)),
  );
  const nodes = [...exportedNodes(graph)];
  expect(nodes.map(({ id }) => id).toSorted()).toEqual([
    "/ContainerImage//sha256:11",
    "prod/Pod/shop/web-0",
    "prod/Secret/shop/db",
    "prod/Service/shop/web",
    "test/Pod/shop/web-0",
    "test/Secret/shop/db",
    "test/Service/shop/web",
  ]);
  expect(nodes.find(({ id }) => id === "prod/Pod/shop/web-0")).toEqual({
    id: "prod/Pod/shop/web-0",
    kind: "Pod",
    cluster: "prod",
    namespace: "shop",
    name: "web-0",
    uid: "uid:Pod/shop/web-0",
    observed: true,
    properties: { phase: "Running", priority: 3, labels: ["app=web", "tier=a=b"] },
  });
  const ofProd = [...exportedEdges(graph)].filter(({ from }) => from.startsWith("prod/"));
  expect(ofProd.map(({ type, to, derived }) => `${type} ${to} ${derived}`).toSorted()).toEqual([
    "RUNS_IMAGE /ContainerImage//sha256:11 false",
    "SELECTS prod/Pod/shop/web-0 true",
    "USES_SECRET prod/Secret/shop/db false",
  ]);
});

test("labels are read back from the list that they become", () => {
  const labels = { app: "web", tier: "a=b", none: "" };
  expect(mapOfFlat(flatProperties({ labels })["labels"] as string[])).toEqual(labels);
});

test("of an object that says too much it is told what is missing", () => {
  const facts = factsOf("Pod/shop/large", { cut: { edges: 6_000, labels: 1 } });
  const [node] = exportedNodes(new Graph(new Map([["prod", ClusterGraph.from([facts])]])));
  expect(node?.properties).toEqual({ cut: ["edges=6000", "labels=1"] });
});
