import { expect, test } from "vitest";

import { askingAbout, nodeOf, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { blastRadius, type Concerned } from "./blast-radius.ts";

function byHop(concerned: readonly Concerned[]): string[][] {
  const hops: string[][] = [];
  for (const { node, hop } of concerned) (hops[hop - 1] ??= []).push(told(node));
  return hops.map((nodes) => nodes.toSorted());
}

test("of a Secret: its pod, who leads to it and who owns it, hop by hop", () => {
  const asking = askingAbout(shop);
  const answer = blastRadius(asking, nodeOf(asking, "Secret/shop/db"));
  expect(byHop(answer.depending)).toEqual([
    ["Container/shop/web-1-a/containers/app", "Deployment/shop/web", "Volume/shop/web-1-a/keys"],
    ["Pod/shop/web-1-a", "ReplicaSet/shop/web-1"],
    ["Service/shop/web"],
    ["Ingress/shop/web"],
  ]);
  expect(answer.reached).toEqual([]);
  expect(answer.depending.at(-1)?.because).toMatchObject({
    sentence: "Ingress shop/web leads to Service shop/web (/spec/defaultBackend/service)",
  });
});

test("of one pod: not its siblings, although they have the same owner", () => {
  const sibling = factsOf("Pod/shop/web-1-b", {
    edges: [edge("OWNS", ["ReplicaSet/shop/web-1", 0], "/metadata/ownerReferences/0")],
  });
  const asking = askingAbout([...shop, sibling]);
  const depending = byHop(blastRadius(asking, nodeOf(asking, "Pod/shop/web-1-b")).depending);
  expect(depending).toEqual([["ReplicaSet/shop/web-1"], ["Deployment/shop/web"]]);
});

test("of an owner: all that it owns", () => {
  const asking = askingAbout(shop);
  const depending = blastRadius(asking, nodeOf(asking, "Deployment/shop/web")).depending;
  expect(depending.map(({ node }) => told(node))).toContain("Pod/shop/web-1-a");
});

test("reaches from an Ingress to Secrets and rights, and ends at the node that everything runs on", () => {
  const asking = askingAbout(shop);
  const reached = blastRadius(asking, nodeOf(asking, "Ingress/shop/web")).reached.map(({ node }) =>
    told(node),
  );
  expect(reached).toEqual(expect.arrayContaining(["Secret/shop/db", "Role/shop/reader", "Node//node-1"]));
  expect(reached).not.toContain("Pod/other/agent");
});

test("of a node: the pods on it; of a namespace: all that is in it", () => {
  const asking = askingAbout([...shop, factsOf("Namespace//other")]);
  const ofNode = byHop(blastRadius(asking, nodeOf(asking, "Node//node-1")).depending);
  expect(ofNode[0]).toEqual(["Pod/other/agent", "Pod/shop/web-1-a"]);
  const ofNamespace = blastRadius(asking, nodeOf(asking, "Namespace//other")).depending;
  expect(byHop(ofNamespace)).toEqual([["Pod/other/agent"]]);
});

/** Pods of a ReplicaSet, each of which reads a Secret and runs on a node of its own. */
function replicas(count: number) {
  return Array.from({ length: count }, (_, index) =>
    factsOf(`Pod/shop/worker-1-${String.fromCodePoint(97 + index)}`, {
      edges: [
        edge("OWNS", ["ReplicaSet/shop/worker-1", 0], "/metadata/ownerReferences/0"),
        edge("USES_SECRET", [0, "Secret/shop/queue"], "/spec/imagePullSecrets/0"),
        edge("RUNS_ON", [0, `Node//node-${index}`], "/spec/nodeName"),
      ],
    }),
  );
}

const workerSet = factsOf("ReplicaSet/shop/worker-1", {
  edges: [edge("OWNS", ["Deployment/shop/worker", 0], "/metadata/ownerReferences/0")],
});

test("replicas of a workload are told once, with their number, whichever was known first", () => {
  for (const pods of [replicas(5), replicas(5).toReversed()]) {
    const asking = askingAbout([...pods, workerSet, factsOf("Deployment/shop/worker")]);
    const { depending } = blastRadius(asking, nodeOf(asking, "Secret/shop/queue"));
    expect(depending.map(({ node, replicas: alike }) => [told(node), alike])).toEqual([
      ["Pod/shop/worker-1-a", 5],
      ["ReplicaSet/shop/worker-1", undefined],
      ["Deployment/shop/worker", undefined],
    ]);
    expect(depending[0]?.because).toMatchObject({
      sentence: "Pod shop/worker-1-a reads Secret shop/queue (/spec/imagePullSecrets/0)",
    });
  }
});

test("where each of the replicas gets is told, also of those that are not told themselves", () => {
  const asking = askingAbout([...replicas(3), workerSet, factsOf("Deployment/shop/worker")]);
  const { reached } = blastRadius(asking, nodeOf(asking, "Deployment/shop/worker"));
  const nodes = reached.filter(({ node }) => told(node).startsWith("Node/"));
  expect(nodes.map(({ node, after }) => `${told(after)} ${told(node)}`).toSorted()).toEqual([
    "Pod/shop/worker-1-a Node//node-0 dangling",
    "Pod/shop/worker-1-b Node//node-1 dangling",
    "Pod/shop/worker-1-c Node//node-2 dangling",
  ]);
});

test("replicas beyond ten times the limit are not looked at, which is said", () => {
  const asking = askingAbout([...replicas(26), workerSet]);
  const answer = blastRadius(asking, nodeOf(asking, "Secret/shop/queue"), { limit: 2 });
  expect(answer.truncated).toBe(true);
  expect(answer.depending).toMatchObject([{ replicas: 20 }]);
});

test("a hop that one may not see is in its place, and tells nothing", () => {
  const asking = askingAbout(shop, { canSee: (_, __, kind) => kind !== "Pod" });
  const answer = blastRadius(asking, nodeOf(asking, "Secret/shop/db"));
  expect(answer.withheld).toBe(3);
  expect(answer.depending.filter(({ node }) => "withheld" in node)).toContainEqual({
    node: { withheld: true },
    hop: 2,
    after: { withheld: true },
    because: { withheld: true },
  });
  expect(JSON.stringify(answer)).not.toContain("web-1-a");
});

test("a pod with 10,000 edges and a circle of owners are bounded, and that is said", () => {
  const edges = Array.from({ length: 10_000 }, (_, index) =>
    edge("USES_SECRET", [0, `Secret/shop/s${index}`], `/spec/containers/0/env/${index}`),
  );
  const circle = [edge("OWNS", ["Pod/shop/a", 0], "/x"), edge("OWNS", [0, "Pod/shop/a"], "/y")];
  const asking = askingAbout([
    factsOf("Pod/shop/huge", { edges: [...edges, ...circle, edge("OWNS", [0, 0], "/z")] }),
  ]);
  const answer = blastRadius(asking, asking.graph.find("east", ref("Pod/shop/huge")), { limit: 100 });
  expect([answer.reached.length, answer.truncated]).toEqual([100, true]);
  expect(answer.depending.map(({ node }) => told(node))).toEqual(["Pod/shop/a dangling"]);
});
