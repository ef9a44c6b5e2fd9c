import { describe, expect, test } from "vitest";

import { askingAbout, nodeOf, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { around, type AroundAnswer, type AroundOptions } from "./around.ts";
import type { Asking } from "./asking.ts";

function ask(asking: Asking, key: string, options: AroundOptions = {}): AroundAnswer {
  return around(asking, nodeOf(asking, key), options);
}

function names({ nodes }: AroundAnswer): string[] {
  return nodes.map(({ node, replicas = 1 }) => `${told(node)}${replicas === 1 ? "" : ` × ${replicas}`}`);
}

function edgesOf({ nodes, edges }: AroundAnswer): string[] {
  return edges.map(({ from, to, edge: told_ }) => {
    const ends = [nodes[from], nodes[to]].map((each) => (each === undefined ? "?" : told(each.node)));
    return `${ends[0]} ${"withheld" in told_ ? "withheld" : told_.type} ${ends[1]}`;
  });
}

/** Pods of a Deployment that read a ConfigMap, some of which have failed. */
function workers(count: number, failed = 0) {
  return [
    factsOf("Deployment/shop/worker"),
    factsOf("ReplicaSet/shop/worker-1", {
      properties: { replicas: count },
      edges: [edge("OWNS", ["Deployment/shop/worker", 0], "/metadata/ownerReferences/0")],
    }),
    ...["worker-0a", "worker-0b"].map((name) =>
      factsOf(`ReplicaSet/shop/${name}`, {
        properties: { replicas: 0 },
        edges: [edge("OWNS", ["Deployment/shop/worker", 0], "/metadata/ownerReferences/0")],
      }),
    ),
    factsOf("ConfigMap/shop/settings"),
    ...Array.from({ length: count }, (_, index) =>
      factsOf(`Pod/shop/worker-1-${index}`, {
        properties: { phase: index < failed ? "Failed" : "Running" },
        edges: [
          edge("OWNS", ["ReplicaSet/shop/worker-1", 0], "/metadata/ownerReferences/0"),
          edge("USES_CONFIGMAP", [0, "ConfigMap/shop/settings"], "/spec/volumes/0/configMap"),
        ],
      }),
    ),
  ];
}

describe("around an object", () => {
  test("are those that it has to do with, in both directions; what is inside of a pod is the pod", () => {
    const answer = ask(askingAbout(shop), "Secret/shop/db", { depth: 1 });
    expect(names(answer)).toEqual(["Secret/shop/db", "Deployment/shop/web", "Pod/shop/web-1-a"]);
    expect(edgesOf(answer)).toEqual([
      "Deployment/shop/web USES_SECRET Secret/shop/db",
      "Pod/shop/web-1-a USES_SECRET Secret/shop/db",
    ]);
    // A container and a volume of the pod.
    expect(answer.edges[1]?.count).toBe(2);
    expect(answer).toMatchObject({ found: true, total: 3, truncated: false, withheld: 0, leftOut: [] });
  });

  test("come hop by hop; from a node that everything runs on one does not go on", () => {
    const answer = ask(askingAbout(shop), "Pod/shop/web-1-a", { depth: 3 });
    expect(names(answer)).toContain("Node//node-1");
    expect(names(answer)).toContain("Role/shop/reader");
    expect(names(answer)).not.toContain("Pod/other/agent");
    const hops = answer.nodes.map(({ hop }) => hop);
    expect(hops).toEqual(hops.toSorted((one, other) => one - other));
    const ofNode = ask(askingAbout(shop), "Node//node-1", { depth: 1 });
    expect(names(ofNode)).toEqual(["Node//node-1", "Pod/other/agent", "Pod/shop/web-1-a"]);
  });

  test("are only those behind edges of the types that are asked for", () => {
    const answer = ask(askingAbout(shop), "Pod/shop/web-1-a", {
      depth: 2,
      types: new Set(["RUNS_AS", "BINDS"]),
    });
    expect(names(answer)).toEqual([
      "Pod/shop/web-1-a",
      "ServiceAccount/shop/web",
      "RoleBinding/shop/readers",
    ]);
  });

  test("of a container are those of its pod, and of something that is not there nothing", () => {
    const asking = askingAbout(shop);
    const pod = ask(asking, "Pod/shop/web-1-a");
    expect(names(ask(asking, "Container/shop/web-1-a/containers/app"))).toEqual(names(pod));
    expect(pod.properties).toMatchObject({ ip: "10.1.0.7" });
    expect(around(asking, undefined)).toMatchObject({ found: false, nodes: [], total: 0 });
  });

  test("of a namespace are those in it that nobody owns, and behind them the others", () => {
    const asking = askingAbout([...workers(2), factsOf("Namespace//shop")]);
    const answer = ask(asking, "Namespace//shop", { depth: 1 });
    expect(names(answer)).toEqual(["Namespace//shop", "Deployment/shop/worker", "ConfigMap/shop/settings"]);
    expect(edgesOf(answer)).toEqual([
      "Namespace//shop CONTAINS Deployment/shop/worker",
      "Namespace//shop CONTAINS ConfigMap/shop/settings",
    ]);
  });

  test("are replicas once, apart from those in trouble, and so are ReplicaSets that nothing runs of", () => {
    const answer = ask(askingAbout(workers(12, 2)), "Deployment/shop/worker");
    expect(names(answer)).toEqual([
      "Deployment/shop/worker",
      "ReplicaSet/shop/worker-0a × 2",
      "ReplicaSet/shop/worker-1",
      "Pod/shop/worker-1-0 × 2",
      "Pod/shop/worker-1-10 × 10",
    ]);
    expect(answer.nodes[3]).toMatchObject({ trouble: "Degraded", replicas: 2 });
    expect(answer.nodes[4]).not.toHaveProperty("trouble");
    expect(answer.edges).toContainEqual(expect.objectContaining({ from: 2, to: 4, count: 10 }));
    expect(answer.total).toBe(16);
  });

  test("are not told three times by the templates of Deployment, ReplicaSet and pod", () => {
    const reads = edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/template/spec/volumes/0/secret");
    const set = factsOf("ReplicaSet/shop/web-2", {
      properties: { replicas: 1 },
      edges: [edge("OWNS", ["Deployment/shop/web", 0], "/metadata/ownerReferences/0"), reads],
    });
    const alone = factsOf("ReplicaSet/shop/alone", { edges: [reads] });
    const asking = askingAbout([...shop, set, alone]);
    expect(edgesOf(ask(asking, "Secret/shop/db", { depth: 1 }))).toEqual([
      "Deployment/shop/web USES_SECRET Secret/shop/db",
      "Pod/shop/web-1-a USES_SECRET Secret/shop/db",
      "ReplicaSet/shop/alone USES_SECRET Secret/shop/db",
    ]);
    expect(names(ask(asking, "ReplicaSet/shop/web-2", { depth: 1 }))).toContain("Secret/shop/db");
  });

  test("are Missing when nobody has seen them, and Unknown when nobody looks", () => {
    const troubles = (asking: Asking) =>
      ask(asking, "Pod/shop/web-1-a", { depth: 1 }).nodes.flatMap(({ node, trouble }) =>
        trouble === undefined ? [] : [`${told(node)} ${trouble}`],
      );
    expect(troubles(askingAbout(shop))).toEqual(["ConfigMap/shop/flags dangling Missing"]);
    const gap = { cluster: "east", kind: "ConfigMap", namespace: "", since: "2026-01-01T00:00:00Z" };
    expect(troubles(askingAbout(shop, { coverage: [gap] }))).toEqual([
      "ConfigMap/shop/flags dangling Unknown",
    ]);
  });

  test("that may not be seen are told where they are met, and lead nowhere", () => {
    const canSee = (_: string, namespace: string, kind: string): boolean =>
      namespace === "shop" && kind !== "ServiceAccount";
    const answer = ask(askingAbout(shop, { canSee }), "Pod/shop/web-1-a", { depth: 3 });
    expect(names(answer).filter((name) => name.startsWith("withheld"))).toEqual(["withheld × 2"]);
    expect(answer.withheld).toBe(2);
    expect(names(answer)).not.toContain("RoleBinding/shop/readers");
    expect(edgesOf(answer)).toContain("Pod/shop/web-1-a withheld withheld");
    expect(ask(askingAbout(shop, { canSee: () => false }), "Pod/shop/web-1-a").found).toBe(false);
  });
});

describe("a picture has room for so many", () => {
  test("what is in trouble comes first, with all that leads there", () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      factsOf(`Pod/shop/reader-${String(index).padStart(2, "0")}`, {
        properties: { phase: index === 17 ? "Failed" : "Running" },
        edges: [edge("USES_CONFIGMAP", [0, "ConfigMap/shop/settings"], "/spec/volumes/0/configMap")],
      }),
    );
    const owner = factsOf("Job/shop/last", {
      edges: [
        edge("USES_SECRET", [0, "Secret/shop/gone"], "/spec"),
        edge("OWNS", [0, "Pod/shop/reader-19"], "/o"),
      ],
    });
    const asking = askingAbout([...many, owner, factsOf("ConfigMap/shop/settings")]);
    const answer = ask(asking, "ConfigMap/shop/settings", { depth: 3, limit: 6 });
    expect(names(answer)).toEqual([
      "ConfigMap/shop/settings",
      "Pod/shop/reader-17",
      "Pod/shop/reader-00",
      "Pod/shop/reader-19",
      "Job/shop/last",
      "Secret/shop/gone dangling",
    ]);
    expect(answer).toMatchObject({
      total: 23,
      truncated: true,
      leftOut: [{ kind: "Pod", count: 17 }],
    });
    expect(answer.edges.every(({ from, to }) => from < 6 && to < 6)).toBe(true);
  });
});
