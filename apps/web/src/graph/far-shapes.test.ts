import { expect, test } from "vitest";

import { farShapes, nodeAt } from "./far-shapes.ts";
import { nodeSize } from "./layout.ts";
import { pictureOf } from "./picture.ts";

const { width, height } = nodeSize;
const node = (name: string) => ({ node: { kind: "Pod", namespace: "shop", name }, hop: 1 });
const id = (name: string): string => ` Pod/shop/${name}`;
const picture = pictureOf({
  nodes: [node("middle"), node("one"), node("other"), { ...node("broken"), trouble: "Degraded" as const }],
  edges: [],
});
const positions = new Map([
  [id("middle"), { x: 0, y: 0 }],
  [id("one"), { x: 300.4, y: 0 }],
  [id("other"), { x: 300, y: 100 }],
  [id("broken"), { x: 600, y: 0 }],
]);

test("nodes that look alike are one outline, and trouble has a stroke through it", () => {
  const box = (x: number, y: number): string => `M${x} ${y}h${width}v${height}h-${width}z`;
  expect(farShapes(picture, positions, id("other"))).toEqual([
    { look: "focus", outline: box(0, 0) },
    { look: "", outline: box(300, 0) },
    { look: "peeked", outline: box(300, 100) },
    { look: "troubled", outline: `${box(600, 0)}l${width} ${height}` },
  ]);
});

test("a node is found by the place where it is drawn", () => {
  expect(nodeAt(positions, { x: 300 + width - 1, y: 100 + height - 1 })).toBe(id("other"));
  expect(nodeAt(positions, { x: 250, y: 10 })).toBeUndefined();
});
