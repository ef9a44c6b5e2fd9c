import { expect, test } from "vitest";

import { anchored, boundsOf, keepPositions, layeredLayout, nodeSize, wayLayout } from "./layout.ts";
import { pictureOf, type Picture } from "./picture.ts";

const node = (name: string, hop: number) => ({
  node: { cluster: "edge", kind: "Pod", namespace: "shop", name },
  hop,
});
const edge = (from: number, to: number) => ({
  from,
  to,
  edge: { type: "OWNS" as const, at: "", sentence: "" },
});
const id = (name: string): string => `edge Pod/shop/${name}`;

const picture: Picture = pictureOf({
  nodes: [node("middle", 0), node("before", 1), node("after", 1), node("far", 2), node("further", 2)],
  edges: [edge(1, 0), edge(0, 2), edge(3, 1), edge(2, 4)],
});

const alone = new Map<string, string>();

test("what leads to the one in the middle is on its left, the rest on its right", () => {
  const positions = layeredLayout(picture, alone);
  const columns = ["far", "before", "middle", "after", "further"].map((name) => positions.get(id(name))?.x);
  expect(columns).toEqual(columns.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  expect(new Set(columns).size).toBe(5);
});

test("a group is a box that covers nobody else, with room for its name", () => {
  const groups = new Map([
    [id("before"), "shop"],
    [id("after"), "shop"],
  ]);
  const positions = layeredLayout(picture, groups);
  expect([...positions.keys()].toSorted()).toEqual(picture.nodes.map((each) => each.id).toSorted());
  const inside = [...positions].filter(([each]) => groups.has(each));
  const { x, y, width, height } = boundsOf(new Map(inside));
  const covered = [...positions].filter(
    ([each, at]) =>
      !groups.has(each) &&
      at.x < x + width &&
      at.x + nodeSize.width > x &&
      at.y < y + height &&
      at.y + nodeSize.height > y - 26,
  );
  expect(covered).toEqual([]);
});

test("what was there stays where it was, what comes goes beside its neighbours and covers nobody", () => {
  const before = new Map([
    [id("middle"), { x: 1_000, y: 1_000 }],
    [id("gone"), { x: 0, y: 0 }],
    [id("before"), { x: 700, y: 1_000 }],
  ]);
  const ideal = new Map([
    [id("middle"), { x: 300, y: 0 }],
    [id("before"), { x: 0, y: 0 }],
    [id("after"), { x: 600, y: 0 }],
    [id("further"), { x: 600, y: 1 }],
  ]);
  const kept = keepPositions(before, ideal, picture.edges);
  expect([...kept.keys()].toSorted()).toEqual([...ideal.keys()].toSorted());
  expect(kept.get(id("middle"))).toEqual({ x: 1_000, y: 1_000 });
  expect(kept.get(id("before"))).toEqual({ x: 700, y: 1_000 });
  expect(kept.get(id("after"))).toEqual({ x: 1_300, y: 1_000 });
  const further = kept.get(id("further"));
  expect(Math.abs((further?.y ?? 0) - 1_000)).toBeGreaterThanOrEqual(nodeSize.height);
  expect(coveredIn(kept)).toEqual([]);
  expect(keepPositions(new Map(), ideal, picture.edges)).toBe(ideal);
});

function coveredIn(positions: ReadonlyMap<string, { readonly x: number; readonly y: number }>): string[] {
  const all = [...positions];
  return all.flatMap(([one, at], index) =>
    all
      .slice(index + 1)
      .filter(([, other]) => {
        const [dx, dy] = [Math.abs(other.x - at.x), Math.abs(other.y - at.y)];
        return dx < nodeSize.width && dy < nodeSize.height;
      })
      .map(([other]) => `${one} and ${other}`),
  );
}

test("many that come at once find places beside those that are there", () => {
  const before = new Map(Array.from({ length: 20 }, (_, index) => [`old-${index}`, { x: 0, y: index * 62 }]));
  const ideal = new Map([
    ...before,
    ...Array.from({ length: 20 }, (_, index): [string, { x: number; y: number }] => [
      `new-${index}`,
      { x: (index % 3) * 50, y: index * 31 + 7 },
    ]),
  ]);
  expect(coveredIn(keepPositions(before, ideal, []))).toEqual([]);
});

test("a way goes from left to right, whichever way its edges lead", () => {
  expect([...wayLayout(picture).values()].map(({ x }) => x / 298)).toEqual([0, 1, 1, 2, 2]);
});

test("a picture is moved so that the one in the middle stays", () => {
  const moved = anchored(layeredLayout(picture, alone), id("before"), { x: 7, y: 8 });
  expect(moved.get(id("before"))).toEqual({ x: 7, y: 8 });
  expect(moved.get(id("middle"))?.x).toBe(7 + 298);
});

test("a picture is as large as all its nodes", () => {
  const positions = new Map([
    ["a", { x: -10, y: 5 }],
    ["b", { x: 100, y: 50 }],
  ]);
  expect(boundsOf(positions)).toEqual({
    x: -10,
    y: 5,
    width: 110 + nodeSize.width,
    height: 45 + nodeSize.height,
  });
  expect(boundsOf(new Map())).toMatchObject(nodeSize);
});
