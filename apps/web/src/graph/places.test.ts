import { expect, test } from "vitest";

import { nodeSize } from "./layout.ts";
import { outlineOf, placesFor } from "./places.ts";

const outline = {
  nodes: ["middle", "one", "other"].map((id, hop) => ({ id, hop })),
  edges: [
    { from: "one", to: "middle" },
    { from: "other", to: "one" },
  ],
};

test("the one in the middle is where everything begins, and what was there stays where it was", () => {
  const whole = placesFor({ outline, groups: new Map(), known: undefined });
  expect(whole.get("middle")).toEqual({ x: 0, y: 0 });
  const known = new Map([
    ["middle", { x: 50, y: 70 }],
    ["one", { x: -400, y: 90 }],
  ]);
  const kept = placesFor({ outline, groups: new Map(), known });
  expect(kept.get("middle")).toEqual({ x: 50, y: 70 });
  expect(kept.get("one")).toEqual({ x: -400, y: 90 });
  expect(kept.get("other")?.x).toBeLessThan(-400 - nodeSize.width);
});

test("a way is one line, whichever way its edges lead", () => {
  const places = placesFor({ outline, groups: undefined, known: undefined });
  expect([...places.values()].map(({ y }) => y)).toEqual([0, 0, 0]);
});

test("as many nodes as are ever drawn around one get places of their own", () => {
  const users = Array.from({ length: 1_999 }, (_, index) => ({ id: `user-${index}`, hop: 1 }));
  const crowd = {
    nodes: [{ id: "middle", hop: 0 }, ...users],
    edges: users.map(({ id }) => ({ from: id, to: "middle" })),
  };
  const places = placesFor({ outline: crowd, groups: new Map(), known: undefined });
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(2_000);
  const half = new Map([...places].filter((_, index) => index % 2 === 0));
  const kept = placesFor({ outline: crowd, groups: new Map(), known: half });
  expect(new Set([...kept.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(2_000);
});

test("a worker gets no more than places depend on", () => {
  const [node = { id: "", hop: 0 }] = outline.nodes;
  const rich = { nodes: [{ ...node, ref: { kind: "Pod" } }], edges: [] };
  expect(outlineOf(rich)).toEqual({ nodes: [node], edges: [] });
});
