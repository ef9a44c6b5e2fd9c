import { expect, test } from "vitest";

import { askingAbout, askingAboutAll, nodeOf, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { podFacts, sampleCluster } from "../testing/sample-cluster.ts";
import type { Asking, CoverageGap } from "./asking.ts";
import { uses, type UsesAnswer } from "./uses.ts";

function described(answer: UsesAnswer): unknown {
  return answer.users.map(({ user, owners, ways }) => [
    told(user),
    owners.map(told),
    ways
      .map((way) => way.map((each) => ("withheld" in each ? "withheld" : each.at)).join(" then "))
      .toSorted(),
  ]);
}

test("a Secret is used by a pod of a Deployment, through a variable and a volume", () => {
  const asking = askingAbout(shop);
  const answer = uses(asking, nodeOf(asking, "Secret/shop/db"));
  expect(described(answer)).toEqual([
    [
      "Pod/shop/web-1-a",
      ["ReplicaSet/shop/web-1", "Deployment/shop/web"],
      [
        "/spec/containers/0 then /spec/containers/0/env/0/valueFrom/secretKeyRef",
        "/spec/volumes/0 then /spec/volumes/0/secret",
      ],
    ],
  ]);
  expect(answer.users[0]?.ways.flat().map((each) => ("withheld" in each ? "" : each.sentence))).toContain(
    "container app of Pod shop/web-1-a reads Secret shop/db (/spec/containers/0/env/0/valueFrom/secretKeyRef)",
  );
  expect(answer).toMatchObject({ found: true, total: 1, withheld: 0, truncated: false });
});

test("a workload without pods uses what its template names", () => {
  const asking = askingAbout(shop.filter(({ node }) => node.kind !== "Pod"));
  expect(described(uses(asking, nodeOf(asking, "Secret/shop/db")))).toEqual([
    ["Deployment/shop/web", [], ["/spec/template/spec/volumes/0/secret"]],
  ]);
});

test("what nobody has seen is used all the same, and whether it may be missing is said", () => {
  const asking = askingAbout(shop);
  const answer = uses(asking, nodeOf(asking, "ConfigMap/shop/flags"));
  const target = answer.target && told(answer.target);
  expect([target, answer.users[0]?.optional]).toEqual(["ConfigMap/shop/flags dangling", true]);
  expect(uses(asking, nodeOf(asking, "Secret/shop/db")).users[0]?.optional).toBe(false);
});

test("an image is used in all clusters that run it", () => {
  const asking = askingAboutAll({ east: [podFacts(0)], west: [podFacts(1)] });
  const [image] = asking.graph.nodes("ContainerImage");
  const answer = uses(asking, image);
  expect(answer.users.map(({ user }) => ("withheld" in user ? "" : user.cluster))).toEqual(["east", "west"]);
  expect(answer.target).not.toHaveProperty("cluster");
});

test("what all pods of a cluster use has them all, ordered by workload", () => {
  const asking = askingAbout(sampleCluster(100));
  const answer = uses(asking, nodeOf(asking, "Secret/team-0/registry"), 7);
  expect([answer.total, answer.users.length, answer.truncated]).toEqual([100, 7, true]);
  const tops = answer.users.map(({ owners }) => owners.slice(-1).map(told).join(""));
  expect(tops.toSpliced(1, 4)).toEqual(
    ["service-0", "service-1", "service-1"].map((one) => `Deployment/team-0/${one}`),
  );
});

test("users that one may not see are withheld and counted; so is the target itself, whether it exists or not", () => {
  const objects = [
    ...shop,
    factsOf("Pod/other/spy", { edges: [edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/x")] }),
  ];
  const canSee: Asking["canSee"] = (_, namespace) => namespace === "shop";
  const asking = askingAbout(objects, { canSee });
  const answer = uses(asking, nodeOf(asking, "Secret/shop/db"));
  expect(answer).toMatchObject({ total: 2, withheld: 1 });
  expect(answer.users.find(({ user }) => "withheld" in user)).toEqual({
    user: { withheld: true },
    owners: [],
    ways: [[{ withheld: true }]],
    optional: false,
  });
  const hidden = askingAbout(objects, { canSee: () => false });
  expect(uses(hidden, nodeOf(hidden, "Secret/shop/db"))).toEqual(uses(hidden, undefined));
});

test("what was not observed is said as far as it matters", () => {
  const gap = (kind: string, namespace = "", cluster = "east"): CoverageGap => {
    return { cluster, kind, namespace, since: "2026-11-16T13:00:00Z", state: "FORBIDDEN" };
  };
  const coverage = [
    gap("Pod"),
    gap("Pod", "other"),
    gap("Pod", "", "west"),
    gap("Node"),
    gap("Secret", "shop"),
  ];
  const asking = askingAbout(shop, { coverage });
  expect(uses(asking, nodeOf(asking, "Secret/shop/db")).notObserved).toEqual([coverage[0], coverage[4]]);
});

test("more users than are asked for are counted, and owners in a circle have an end", () => {
  const pull = edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/imagePullSecrets/0");
  const pods = Array.from({ length: 30 }, (_, index) =>
    factsOf(`Pod/shop/p${index}`, {
      edges: [
        pull,
        edge("OWNS", [`Pod/shop/p${(index + 1) % 30}`, 0], "/metadata/ownerReferences/0"),
        edge("OWNS", [0, 0], "/metadata/ownerReferences/1"),
      ],
    }),
  );
  const sets = ["a", "b"].map((name) =>
    factsOf(`ReplicaSet/shop/${name}`, {
      edges: [
        pull,
        edge("OWNS", [`ReplicaSet/shop/${name === "a" ? "b" : "a"}`, 0], "/metadata/ownerReferences/0"),
      ],
    }),
  );
  const asking = askingAbout([...pods, ...sets]);
  const answer = uses(asking, nodeOf(asking, "Secret/shop/db"), 5);
  expect([answer.total, answer.users.length, answer.truncated]).toEqual([31, 5, true]);
});
