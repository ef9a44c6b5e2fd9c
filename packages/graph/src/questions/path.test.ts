import { expect, test } from "vitest";

import { askingAbout, nodeOf, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf, ref } from "../testing/facts-of.ts";
import type { Asking } from "./asking.ts";
import { path, type PathAnswer } from "./path.ts";

function find(asking: Asking, from: string, to: string): PathAnswer {
  return path(asking, nodeOf(asking, from), nodeOf(asking, to));
}

function nodes(answer: PathAnswer): string[] {
  return [...answer.hops.map(({ from }) => told(from)), ...answer.hops.slice(-1).map(({ to }) => told(to))];
}

test("leads from an Ingress to a Secret, and the hop before the two ways is the one to cut", () => {
  const answer = find(askingAbout(shop), "Ingress/shop/web", "Secret/shop/db");
  expect(nodes(answer)).toEqual([
    "Ingress/shop/web",
    "Service/shop/web",
    "Pod/shop/web-1-a",
    "Container/shop/web-1-a/containers/app",
    "Secret/shop/db",
  ]);
  expect(answer.alternatives).toBe(2);
  expect(answer.cut).toEqual({
    removes: "every path",
    hop: 0,
    sentence:
      "Ingress shop/web leads to Service shop/web (/spec/defaultBackend/service): without it every path is gone.",
  });
  expect(answer.hops[1]?.edges).toMatchObject([{ type: "SELECTS", derived: true, at: "/spec/selector" }]);
});

test("leads over bindings to what a pod may do", () => {
  const answer = find(askingAbout(shop), "Pod/shop/web-1-a", "Role/shop/reader");
  expect(nodes(answer).slice(1)).toEqual([
    "ServiceAccount/shop/web",
    "RoleBinding/shop/readers",
    "Role/shop/reader",
  ]);
  expect(answer.cut).toMatchObject({ removes: "every path", hop: 1 });
});

test("one that exists only the other way round is told so", () => {
  const answer = find(askingAbout(shop), "Secret/shop/db", "Service/shop/web");
  expect([answer.direction, nodes(answer)[0]]).toEqual(["backward", "Service/shop/web"]);
});

test("does not go through a node to its other pods", () => {
  expect(find(askingAbout(shop), "Pod/shop/web-1-a", "Pod/other/agent").found).toBe(false);
});

test("a detour makes a cut one of the shortest paths only, and two of a length make none", () => {
  const service = (name: string, ...to: string[]): ReturnType<typeof factsOf> =>
    factsOf(name, { edges: to.map((each, index) => edge("ROUTES_TO", [0, each], `/spec/rules/${index}`)) });
  const detour = askingAbout([
    service("A//a", "B//b", "C//c"),
    service("C//c", "D//d"),
    service("D//d", "E//e"),
    service("B//b", "E//e"),
  ]);
  expect(find(detour, "A//a", "E//e").cut.removes).toBe("every shortest path");
  const twins = askingAbout([
    service("A//a", "B//b", "C//c"),
    service("B//b", "E//e"),
    service("C//c", "E//e"),
  ]);
  expect(find(twins, "A//a", "E//e").cut).toMatchObject({ removes: "nothing" });
});

test("hops that one may not see are withheld, and ends that one may not see give no path", () => {
  const asking = askingAbout(shop, { canSee: (_, __, kind) => kind !== "Pod" });
  const answer = find(asking, "Ingress/shop/web", "Secret/shop/db");
  expect(nodes(answer)).toEqual([
    "Ingress/shop/web",
    "Service/shop/web",
    "withheld",
    "withheld",
    "Secret/shop/db",
  ]);
  expect([answer.found, answer.withheld]).toEqual([true, 3]);
  expect(JSON.stringify(answer)).not.toContain("web-1-a");
  const blind = askingAbout(shop, { canSee: (_, __, kind) => kind !== "Secret" });
  expect(find(blind, "Ingress/shop/web", "Secret/shop/db")).toMatchObject({
    found: false,
    to: { withheld: true },
  });
});

test("owners in a circle and references to oneself have an end", () => {
  const asking = askingAbout([
    factsOf("Pod/shop/a", { edges: [edge("OWNS", ["Pod/shop/b", 0], "/x"), edge("OWNS", [0, 0], "/y")] }),
    factsOf("Pod/shop/b", { edges: [edge("OWNS", ["Pod/shop/a", 0], "/x")] }),
    factsOf("Pod/shop/c"),
  ]);
  expect(find(asking, "Pod/shop/a", "Pod/shop/c").found).toBe(false);
  expect(find(asking, "Pod/shop/a", "Pod/shop/a")).toMatchObject({ found: true, hops: [] });
});

test("what all replicas of a workload have is one hop, which can be cut", () => {
  const replica = (name: string, owner = "StatefulSet/shop/db"): ReturnType<typeof factsOf> =>
    factsOf(`Pod/shop/${name}`, {
      parts: [{ node: ref(`Container/shop/${name}/containers/app`), properties: {} }],
      edges: [
        edge("OWNS", [owner, 0], "/metadata/ownerReferences/0", { controller: true }),
        edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
        edge("USES_SECRET", [1, "Secret/shop/db"], "/spec/containers/0/envFrom/0/secretRef"),
      ],
    });
  const service = (...pods: string[]): ReturnType<typeof factsOf> =>
    factsOf("Service/shop/db", {
      edges: pods.map((pod, index) => edge("ROUTES_TO", [0, `Pod/shop/${pod}`], `/endpoints/${index}`)),
    });
  const alike = [service("db-0", "db-1", "db-2"), replica("db-0"), replica("db-1"), replica("db-2")];
  const hidden = askingAbout(alike, { canSee: (_, __, kind) => kind !== "StatefulSet" });
  const cut = find(askingAbout(alike), "Service/shop/db", "Secret/shop/db").cut;
  expect(cut).toEqual({
    removes: "every path",
    hop: 2,
    sentence:
      "container app of Pod shop/db-0 reads Secret shop/db (/spec/containers/0/envFrom/0/secretRef), and the same of 2 more replicas of StatefulSet shop/db: without it every path is gone.",
  });
  expect(find(hidden, "Service/shop/db", "Secret/shop/db").cut.sentence).toContain(
    "the same of 2 more replicas: without",
  );
  const mixed = askingAbout([service("db-0", "other-0"), replica("db-0"), replica("other-0", "Job/shop/x")]);
  expect(find(mixed, "Service/shop/db", "Secret/shop/db").cut.removes).toBe("nothing");
});
