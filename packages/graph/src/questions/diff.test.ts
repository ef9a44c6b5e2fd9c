import { expect, test } from "vitest";

import { askingAbout, askingAboutAll, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { podFacts, sampleCluster } from "../testing/sample-cluster.ts";
import { diff, type DiffAnswer } from "./diff.ts";

function described({ nodes, edges }: DiffAnswer): string[] {
  return [
    ...nodes.map(({ change, node }) => `${change} ${told(node)}`),
    ...edges.map(
      ({ change, from, to, edge }) =>
        `${change} ${told(from)} ${"type" in edge ? `${edge.type} ${edge.at}` : ""} ${told(to)}`,
    ),
  ];
}

test("two graphs of the same facts do not differ, in whichever order they came", () => {
  const answer = diff(askingAbout(shop), askingAbout(shop.toReversed()));
  expect(answer).toMatchObject({ total: 0, nodes: [], edges: [], truncated: false });
});

test("nodes and edges that came and went, those by labels included", () => {
  const after = [
    ...shop.filter(({ node }) => node.name !== "readers"),
    factsOf("Pod/shop/new", {
      properties: { labels: { app: "web" } },
      edges: [edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/imagePullSecrets/0")],
    }),
  ];
  expect(described(diff(askingAbout(shop), askingAbout(after)))).toEqual([
    "came Pod/shop/new",
    "went RoleBinding/shop/readers",
    "came Pod/shop/new USES_SECRET /spec/imagePullSecrets/0 Secret/shop/db",
    "went RoleBinding/shop/readers BINDS /subjects/0 ServiceAccount/shop/web",
    "went RoleBinding/shop/readers GRANTS /roleRef Role/shop/reader",
    "came Service/shop/web SELECTS /spec/selector Pod/shop/new",
  ]);
});

test("properties that changed are told with what they were, and who was made again is told so", () => {
  const before = factsOf("Pod/shop/a", { properties: { phase: "Pending", labels: { app: "a" } } });
  const after = {
    ...before,
    uid: "other",
    properties: { phase: "Running", ip: "10.0.0.1", labels: { app: "a" } },
  };
  expect(diff(askingAbout([before]), askingAbout([after])).nodes).toMatchObject([
    {
      change: "changed",
      remade: true,
      properties: [
        { name: "ip", after: "10.0.0.1" },
        { name: "phase", before: "Pending", after: "Running" },
      ],
    },
  ]);
  const secret = (optional: boolean): ReturnType<typeof factsOf> =>
    factsOf("Pod/shop/a", { edges: [edge("USES_SECRET", [0, "Secret/shop/s"], "/x", { optional })] });
  expect(described(diff(askingAbout([secret(true)]), askingAbout([secret(false)])))).toEqual([
    "changed Pod/shop/a USES_SECRET /x Secret/shop/s dangling",
  ]);
});

test("an image that another cluster had before did not come", () => {
  const one = podFacts(0);
  const before = askingAboutAll({ east: [one], west: [] });
  const after = askingAboutAll({ east: [one], west: [one] });
  const { nodes } = diff(before, after);
  expect(nodes.map(({ node }) => told(node)).filter((node) => node.startsWith("ContainerImage"))).toEqual([]);
  const gone = diff(after, askingAboutAll({ east: [], west: [] })).nodes.map(({ node }) => told(node));
  expect(gone.filter((node) => node.startsWith("ContainerImage")).length).toBe(2);
});

test("changes that one may not see are counted, and so are those that did not fit", () => {
  const canSee = (_: string, namespace: string): boolean => namespace !== "team-1";
  const before = askingAbout([], { canSee });
  const answer = diff(before, askingAbout(sampleCluster(300), { canSee }), { limit: 5 });
  expect([answer.nodes.length, answer.edges.length, answer.truncated]).toEqual([5, 5, true]);
  expect(answer.withheld).toBeGreaterThan(100);
  expect(JSON.stringify(answer)).not.toContain("team-1");
});
