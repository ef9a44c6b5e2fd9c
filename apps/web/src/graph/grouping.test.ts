import { expect, test } from "vitest";

import { groupsOf } from "./grouping.ts";
import { pictureOf } from "./picture.ts";

const node = (kind: string, name: string, namespace = "shop") => ({
  node: { cluster: "edge", kind, namespace, name },
  hop: 0,
});
const edge = (from: number, to: number, type: "OWNS" | "RUNS_ON") => ({
  from,
  to,
  edge: { type, at: "", sentence: "" },
});

const picture = pictureOf({
  nodes: [
    node("Deployment", "web"),
    node("ReplicaSet", "web-1"),
    node("Pod", "web-1-a"),
    node("Node", "n1", ""),
    node("Secret", "db", "other"),
    node("Pod", "lone"),
  ],
  edges: [edge(0, 1, "OWNS"), edge(1, 2, "OWNS"), edge(2, 3, "RUNS_ON"), edge(5, 3, "RUNS_ON")],
});

function told(by: Parameters<typeof groupsOf>[1]): Record<string, string> {
  return Object.fromEntries([...groupsOf(picture, by)].map(([id, name]) => [id.split("/").at(-1), name]));
}

test("groups are namespaces, those at the top of owners, or nodes; one alone is none", () => {
  expect(told("none")).toEqual({});
  expect(told("namespace")).toEqual({
    web: "edge/shop",
    "web-1": "edge/shop",
    "web-1-a": "edge/shop",
    lone: "edge/shop",
  });
  expect(told("owner")).toEqual({
    web: "Deployment shop/web",
    "web-1": "Deployment shop/web",
    "web-1-a": "Deployment shop/web",
  });
  expect(told("node")).toEqual({ "web-1-a": "Node n1", lone: "Node n1" });
});

test("a circle of owners ends", () => {
  const circle = pictureOf({
    nodes: [node("A", "a"), node("B", "b")],
    edges: [edge(0, 1, "OWNS"), edge(1, 0, "OWNS")],
  });
  expect(groupsOf(circle, "owner").size).toBeLessThanOrEqual(2);
});
