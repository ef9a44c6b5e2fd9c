import { expect, test } from "vitest";

import { leftOutText, nodeLabel, pictureOf, pictureOfRadius, pictureOfWay } from "./picture.ts";

const pod = { cluster: "edge", kind: "Pod", namespace: "shop", name: "web-1" };
const secret = { cluster: "edge", kind: "Secret", namespace: "shop", name: "db", dangling: true };
const reads = { type: "USES_SECRET", at: "/spec", sentence: "Pod shop/web-1 reads Secret shop/db" } as const;

test("objects and edges are told apart by names, so that another answer draws the same ones", () => {
  const picture = pictureOf({
    nodes: [
      { node: pod, hop: 0 },
      { node: secret, hop: 1, trouble: "Missing" },
    ],
    edges: [{ from: 0, to: 1, edge: { ...reads, derived: true }, count: 2 }],
  });
  expect(picture.nodes).toMatchObject([
    { id: "edge Pod/shop/web-1", ref: pod, replicas: 1, isDangling: false },
    { id: "edge Secret/shop/db", trouble: "Missing", isDangling: true },
  ]);
  expect(picture.edges).toEqual([
    {
      id: "edge Pod/shop/web-1 USES_SECRET edge Secret/shop/db",
      from: "edge Pod/shop/web-1",
      to: "edge Secret/shop/db",
      type: "USES_SECRET",
      sentence: "Pod shop/web-1 reads Secret shop/db",
      count: 2,
      isDerived: true,
    },
  ]);
});

test("what is withheld is one node for each that it has to do with", () => {
  const withheld = { withheld: true } as const;
  const { nodes, edges } = pictureOf({
    nodes: [
      { node: pod, hop: 0 },
      { node: withheld, hop: 1, replicas: 3 },
      { node: secret, hop: 1 },
      { node: withheld, hop: 2 },
    ],
    edges: [
      { from: 1, to: 0, edge: withheld },
      { from: 2, to: 3, edge: withheld },
    ],
  });
  expect(nodes.map(({ id }) => id)).toEqual([
    "edge Pod/shop/web-1",
    "withheld edge Pod/shop/web-1",
    "edge Secret/shop/db",
    "withheld edge Secret/shop/db",
  ]);
  expect(edges.map(({ type, sentence }) => [type, sentence])).toEqual([
    [undefined, "A step that is withheld."],
    [undefined, "A step that is withheld."],
  ]);
});

test("replicas are a number of their kind", () => {
  expect(nodeLabel({ ref: pod, replicas: 12 })).toBe("Pod shop/web-1 × 12 pods");
  expect(nodeLabel({ ref: { ...pod, kind: "Ingress" }, replicas: 2 })).toBe(
    "Ingress shop/web-1 × 2 ingresses",
  );
  expect(nodeLabel({ ref: pod, replicas: 1 })).toBe("Pod shop/web-1");
  expect(nodeLabel({ ref: undefined, replicas: 3 })).toBe("3 things that are withheld");
});

test("a sentence says what is not drawn, the most first", () => {
  const nodes = [
    { node: pod, hop: 0 },
    { node: secret, hop: 1, replicas: 199 },
  ];
  expect(leftOutText({ nodes, total: 200, leftOut: [] })).toBe("");
  expect(
    leftOutText({
      nodes,
      total: 3_412,
      leftOut: [
        { kind: "Pod", count: 3_210 },
        { kind: "Job", trouble: "Progressing", count: 1 },
        { kind: "", count: 1 },
      ],
    }),
  ).toBe("Drawn 200 of 3,412: not drawn are 3,210 Pods, 1 progressing Job, 1 withheld.");
});

test("a way is a picture of all that it goes through", () => {
  const role = { cluster: "edge", kind: "Role", namespace: "shop", name: "reader" };
  const { nodes, edges } = pictureOfWay([
    { from: pod, to: secret, edges: [reads, reads] },
    { from: { ...secret }, to: role, edges: [reads] },
  ]);
  expect(nodes.map(({ ref, hop }) => [ref?.name, hop])).toEqual([
    ["web-1", 0],
    ["db", 1],
    ["reader", 2],
  ]);
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    ["edge Pod/shop/web-1", "edge Secret/shop/db"],
    ["edge Secret/shop/db", "edge Role/shop/reader"],
  ]);
  expect(pictureOfWay([])).toEqual({ nodes: [], edges: [] });
});

test("what depends on something points at it, what it reaches does not", () => {
  const node = { cluster: "edge", kind: "Node", namespace: "", name: "n1" };
  const { nodes, edges } = pictureOfRadius({
    start: pod,
    depending: [{ node: secret, hop: 1, after: pod, because: reads, replicas: 3 }],
    reached: [
      { node, hop: 1, after: pod, because: reads },
      { node: { withheld: true }, hop: 2, after: node, because: { withheld: true } },
    ],
  });
  expect(nodes.map(({ ref, replicas }) => [ref?.name, replicas])).toEqual([
    ["web-1", 1],
    ["db", 3],
    ["n1", 1],
  ]);
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    ["edge Secret/shop/db", "edge Pod/shop/web-1"],
    ["edge Pod/shop/web-1", "edge Node//n1"],
  ]);
});
