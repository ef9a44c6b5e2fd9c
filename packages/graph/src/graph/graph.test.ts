import { expect, test } from "vitest";

import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { ClusterGraph } from "./cluster-graph.ts";
import { Graph } from "./graph.ts";

const image = "ContainerImage//sha256:1";

function cluster(pod: string): ClusterGraph {
  const part = { node: ref(`Container/shop/${pod}/containers/app`), properties: {} };
  const edges = [
    edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
    edge("RUNS_IMAGE", [1, image], "/spec/containers/0/image", { tag: pod }),
  ];
  return ClusterGraph.from([factsOf(`Pod/shop/${pod}`, { uid: `uid-${pod}`, parts: [part], edges })]);
}

const graph = new Graph(
  new Map([
    ["empty", new ClusterGraph()],
    ["east", cluster("web")],
    ["west", cluster("api")],
  ]),
);

test("an image is one node in all clusters, and has the edges of all of them", () => {
  const node = graph.find(undefined, ref(image)) ?? -1;
  expect([graph.cluster(node), graph.clustersOf(node)]).toEqual([undefined, ["east", "west"]]);
  expect([...graph.in(node)].map(({ from, properties }) => [graph.cluster(from), properties])).toEqual([
    ["east", { tag: "web" }],
    ["west", { tag: "api" }],
  ]);
  expect([...graph.nodes("ContainerImage")]).toEqual([node]);
});

test("who leads to an image in another cluster leads to the same one", () => {
  const node = graph.find("west", ref("Container/shop/api/containers/app")) ?? -1;
  expect([...graph.out(node)].map(({ to }) => to)).toEqual([graph.find("west", ref(image))]);
});

test("what is no image is of its cluster", () => {
  expect(graph.find("west", ref("Pod/shop/web"))).toBeUndefined();
  expect(graph.find("none", ref("Pod/shop/web"))).toBeUndefined();
  const pod = graph.findUid("uid-api") ?? -1;
  expect([graph.cluster(pod), graph.ref(pod), graph.clustersOf(pod)]).toEqual([
    "west",
    ref("Pod/shop/api"),
    ["west"],
  ]);
  expect([...graph.nodes("Pod", "shop")].map((node) => graph.name(node))).toEqual(["web", "api"]);
});
