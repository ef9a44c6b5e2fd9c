import { expect, test } from "vitest";

import { askingAbout, askingAboutAll, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { podFacts } from "../testing/sample-cluster.ts";
import { search } from "./search.ts";

function hits(objects: Parameters<typeof askingAbout>[0], text: string): string[] {
  return search(askingAbout(objects), text).hits.map(
    ({ node, field, match }) => `${told(node)} ${field} ${match}`,
  );
}

test("a whole name comes before its beginning, that before a part of it, and names before labels", () => {
  expect(hits([...shop, factsOf("Service/shop/my-web")], "web")).toEqual([
    "Deployment/shop/web name exact",
    "Ingress/shop/web name exact",
    "Service/shop/web name exact",
    "ServiceAccount/shop/web name exact",
    "Pod/shop/web-1-a label exact",
    "ReplicaSet/shop/web-1 name prefix",
    "Service/shop/my-web name part",
  ]);
});

test.each([
  ["a label", "app=web", ["Pod/shop/web-1-a label exact"]],
  ["part of an address", "10.1.0.", ["Pod/shop/web-1-a ip prefix"]],
  ["a uid", "uid:secret/shop/db", []],
  ["nothing", "  ", []],
  ["what is nowhere", "nowhere", []],
])("finds by %s", (_, text, expected) => {
  expect(hits(shop, text)).toEqual(expected);
});

test("finds by uid, image, digest and IP address", () => {
  const pod = podFacts(3);
  expect(hits([pod], pod.uid)).toEqual([`Pod/team-0/${pod.node.name} uid exact`]);
  expect(hits([pod], "10.1.0.3")).toEqual([`Pod/team-0/${pod.node.name} ip exact`]);
  const images = search(askingAbout([pod]), "mesh/proxy").hits;
  expect(images).toMatchObject([
    { field: "image", text: "registry.example/mesh/proxy:1.4.2", match: "part" },
  ]);
  const [image] = images;
  const digest = image !== undefined && "name" in image.node ? image.node.name : "";
  expect(hits([pod], digest)).toEqual([`ContainerImage//${digest} name exact`]);
});

test("finds in all clusters, whatever the capitals, and what clusters share once", () => {
  const binding = factsOf("RoleBinding/shop/Editors", {
    edges: [edge("BINDS", [0, "User//Somebody"], "/subjects/0")],
  });
  const answer = search(askingAboutAll({ east: [binding], west: [binding] }), "EDITORS");
  expect(answer.hits.map(({ node }) => ("cluster" in node ? node.cluster : ""))).toEqual(["east", "west"]);
  expect(search(askingAboutAll({ east: [binding], west: [binding] }), "somebody").total).toBe(1);
});

test("what is inside of a pod is not told beside it, and more than was asked for is counted", () => {
  const parts = [{ node: ref("Container/shop/web/containers/web"), properties: {} }];
  const objects = [factsOf("Pod/shop/web", { parts }), factsOf("Pod/shop/web2"), factsOf("Pod/shop/web3")];
  expect(search(askingAbout(objects), "web", { limit: 2 })).toMatchObject({ total: 3, truncated: true });
});

test("of what nearly everything has, the best are told in the same order however few one wants", () => {
  const words = ["web", "my-web", "web-2", "webs", "other", "a-web-b"];
  const objects = ["shop", "blog", "docs"].flatMap((namespace) =>
    words.flatMap((name, index) => {
      const labels = { app: index % 2 === 0 ? "web" : "website" };
      return [
        factsOf(`Pod/${namespace}/${name}`, { properties: { labels } }),
        factsOf(`Service/${namespace}/${name}`),
      ];
    }),
  );
  const asking = askingAboutAll({ east: objects, west: objects.toReversed() });
  const all = search(asking, "web", { limit: 1_000 });
  expect(all.total).toBe(all.hits.length);
  expect(new Set(all.hits.map(({ node }) => JSON.stringify(node))).size).toBe(all.total);
  // All pods, by name or label, and the Services that are called so.
  expect(all.total).toBe(2 * 3 * (words.length + words.length - 1));
  for (const limit of [1, 2, 7, 20, 50]) {
    expect(search(asking, "web", { limit })).toEqual({
      ...all,
      hits: all.hits.slice(0, limit),
      truncated: true,
    });
  }
  expect(search(asking, "web", { limit: 5, kind: "Service" }).total).toBe(2 * 3 * (words.length - 1));
});

test("a label whose value it is comes before one that has it in part", () => {
  const labels = { "a/web-tier": "front", app: "web" };
  expect(hits([factsOf("Pod/shop/x", { properties: { labels } })], "web")).toEqual([
    "Pod/shop/x label exact",
  ]);
});

test("what one may not see is neither told nor counted: guesses would tell names", () => {
  const asking = askingAbout(shop, { canSee: (_, namespace) => namespace === "other" });
  expect(search(asking, "web")).toEqual({ hits: [], total: 0, truncated: false, notObserved: [] });
});
