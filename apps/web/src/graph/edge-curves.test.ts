import { expect, test } from "vitest";

import { drawnEdges } from "./edge-curves.ts";
import type { Picture, PictureEdge } from "./picture.ts";

const edge = (from: string, to: string, more: Partial<PictureEdge> = {}): PictureEdge => ({
  id: `${from} ${to}`,
  from,
  to,
  type: "USES_SECRET",
  sentence: "",
  count: 1,
  isDerived: false,
  ...more,
});
const picture = (...edges: readonly PictureEdge[]): Picture => ({ nodes: [], edges });
const positions = new Map([
  ["a", { x: 0, y: 0 }],
  ["b", { x: 300, y: 62 }],
  ["c", { x: 300, y: 0 }],
]);

test("edges that look alike are one outline, from the right of one node to the left of the other", () => {
  const { curves, labels } = drawnEdges(picture(edge("a", "b"), edge("a", "c")), positions, undefined);
  expect(curves).toEqual([{ look: "", outline: "M208 23C254 23 254 85 300 85M208 23C254 23 254 23 300 23" }]);
  expect(labels).toEqual([]);
});

test("an edge that leads back goes around", () => {
  const [curve] = drawnEdges(picture(edge("b", "a")), positions, undefined).curves;
  expect(curve?.outline).toBe("M508 85C643 85 -135 23 0 23");
});

test("those of the node that is looked at have their words, and a look of their own", () => {
  const { curves, labels } = drawnEdges(
    picture(edge("a", "b", { count: 3 }), edge("c", "b", { isDerived: true, change: "came" })),
    positions,
    "a",
  );
  expect(curves.map(({ look }) => look)).toEqual(["near", "derived came"]);
  expect(labels).toEqual([{ id: "a b", text: "uses secret × 3", x: 254, y: 54 }]);
  const withheld = drawnEdges(picture(edge("a", "b", { type: undefined })), positions, "a");
  expect(withheld.labels).toEqual([]);
});
