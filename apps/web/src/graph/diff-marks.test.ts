import { expect, test } from "vitest";

import { withChanges } from "./diff-marks.ts";
import { pictureOf } from "./picture.ts";

const ref = (kind: string, name: string) => ({ cluster: "edge", kind, namespace: "shop", name });
const reads = { type: "USES_SECRET", at: "/spec", sentence: "reads" } as const;
const [pod, secret, old] = [ref("Pod", "web"), ref("Secret", "db"), ref("Secret", "old")];

const picture = pictureOf({
  nodes: [
    { node: pod, hop: 0 },
    { node: secret, hop: 1 },
  ],
  edges: [{ from: 0, to: 1, edge: reads }],
});

test("what came and changed is marked, what went is drawn beside those it had to do with", () => {
  const { nodes, edges } = withChanges(picture, {
    nodes: [
      { change: "changed", node: pod },
      { change: "came", node: secret },
      { change: "went", node: old },
      { change: "went", node: ref("Secret", "elsewhere") },
      { change: "went", node: { withheld: true } },
    ],
    edges: [
      { change: "came", from: pod, to: secret, edge: reads },
      { change: "went", from: pod, to: old, edge: reads },
      { change: "went", from: ref("Pod", "other"), to: ref("Secret", "elsewhere"), edge: reads },
      { change: "went", from: pod, to: { withheld: true }, edge: { withheld: true } },
    ],
  });
  expect(nodes.map(({ ref: node, change }) => [node?.name, change])).toEqual([
    ["web", "changed"],
    ["db", "came"],
    ["old", "went"],
  ]);
  expect(edges.map(({ from, to, change }) => [from, to, change])).toEqual([
    ["edge Pod/shop/web", "edge Secret/shop/db", "came"],
    ["edge Pod/shop/web", "edge Secret/shop/old", "went"],
  ]);
});

test("what is inside of a pod is the pod, also when it went", () => {
  const container = ref("Container", "gone/containers/app");
  const { nodes, edges } = withChanges(picture, {
    nodes: [
      { change: "went", node: ref("Pod", "gone") },
      { change: "went", node: container },
    ],
    edges: [
      { change: "went", from: ref("Pod", "gone"), to: container, edge: { ...reads, type: "HAS_CONTAINER" } },
      { change: "went", from: container, to: secret, edge: reads },
    ],
  });
  expect(nodes.map(({ id }) => id).slice(2)).toEqual(["edge Pod/shop/gone"]);
  expect(edges.slice(1).map(({ from, to }) => [from, to])).toEqual([
    ["edge Pod/shop/gone", "edge Secret/shop/db"],
  ]);
});

test("a node that stands for several has changed when one of them came", () => {
  const owns = { type: "OWNS", at: "", sentence: "owns" } as const;
  const cronJob = ref("CronJob", "nightly");
  const folded = pictureOf({
    nodes: [
      { node: cronJob, hop: 0 },
      { node: ref("Job", "nightly-1"), hop: 1, replicas: 3 },
    ],
    edges: [{ from: 0, to: 1, edge: owns, count: 3 }],
  });
  const came = ref("Job", "nightly-3");
  const { nodes } = withChanges(folded, {
    nodes: [{ change: "came", node: came }],
    edges: [{ change: "came", from: cronJob, to: came, edge: owns }],
  });
  expect(nodes.map(({ change }) => change)).toEqual([undefined, "changed"]);
});

test("nothing changes where nothing has changed", () => {
  expect(withChanges(picture, { nodes: [], edges: [] })).toEqual(picture);
});
