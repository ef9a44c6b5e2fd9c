import { expect, test } from "vitest";

import {
  graphPath,
  nodeOfEntry,
  paletteEntries,
  RecentNodes,
  type PaletteSources,
} from "./palette-entries.ts";
import { readPaletteInput } from "./palette-input.ts";

const pod = { cluster: "edge", kind: "Pod", namespace: "shop", name: "web-1" };
const image = { kind: "ContainerImage", namespace: "", name: "sha256:1" };

const sources: PaletteSources = {
  pages: [
    { to: "/", name: "Fleet" },
    { to: "/clusters", name: "Clusters" },
    { to: "/graph", name: "Graph" },
  ],
  clusters: ["cloud", "edge", "webshop"],
  actions: [
    { name: "Sign out", run: () => {} },
    { name: "Show the keys", run: () => {} },
  ],
  recent: [pod],
  hits: [
    { node: pod, field: "name", text: "web-1", match: "prefix" },
    { node: image, field: "image", text: "web:1", match: "part" },
    { node: { withheld: true }, field: "name", text: "", match: "part" },
  ],
};

function lines(typed: string): string[] {
  return paletteEntries(readPaletteInput(typed), sources).map(({ group, name }) => `${group}: ${name}`);
}

test("an empty field shows what was opened, the pages, the clusters and what can be done", () => {
  expect(lines("")).toEqual([
    "Recent: web-1",
    "Pages: Fleet",
    "Pages: Clusters",
    "Pages: Graph",
    "Clusters: cloud",
    "Clusters: edge",
    "Clusters: webshop",
    "Actions: Sign out",
    "Actions: Show the keys",
  ]);
});

test("a word finds clusters, pages and objects, and leads to all hits", () => {
  expect(lines("web")).toEqual([
    "Clusters: webshop",
    "Objects: web-1",
    "Objects: sha256:1",
    "Objects: All that have “web” in it",
  ]);
});

test("prefixes show one thing only", () => {
  expect(lines("@ed")).toEqual(["Clusters: edge"]);
  expect(lines(":cronj")).toEqual(["Kinds: CronJob"]);
  expect(lines(">sign")).toEqual(["Actions: Sign out"]);
  expect(lines("#app=web")).toEqual(["Objects: web-1", "Objects: sha256:1"]);
  expect(lines("@edge web")).toEqual(["Objects: web-1", "Objects: sha256:1"]);
  expect(lines("?what is")).toEqual([
    "Questions: What is exposed",
    "Questions: What is left over",
    "Questions: What is weak",
  ]);
  expect(lines("?who can get secrets")[0]).toBe("Questions: who can get secrets");
});

test("an object leads to its page, and what has none to what is around it", () => {
  const [, first, second] = paletteEntries(readPaletteInput("web"), sources);
  expect(first?.path).toBe("/c/edge/o/core/v1/pods/shop/web-1");
  expect(second?.path).toBe(graphPath(image));
  expect(graphPath(pod)).toBe("/graph?focus=Pod%2Fshop%2Fweb-1&cluster=edge");
  expect(first === undefined ? undefined : nodeOfEntry(first, sources)).toEqual(pod);
});

test("what was opened is there once, the last first", () => {
  const recent = new RecentNodes();
  for (const node of [pod, image, pod]) recent.add(node);
  expect(recent.nodes).toEqual([pod, image]);
  for (let index = 0; index < 9; index += 1) recent.add({ ...pod, name: `web-${index}` });
  expect(recent.nodes.map(({ name }) => name)).toEqual([
    "web-8",
    "web-7",
    "web-6",
    "web-5",
    "web-4",
    "web-3",
  ]);
});
