import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, test } from "vitest";

import { layered, type Box, type Layered } from "./layered.ts";

const size = { width: 200, height: 40 };
const boxes = (...ids: readonly string[]): Box[] => ids.map((id) => ({ id, ...size }));
const links = (...pairs: readonly string[]): { from: string; to: string }[] =>
  pairs.map((pair) => ({ from: pair.slice(0, 1), to: pair.slice(1) }));
const place = ({ positions }: Layered, id: string): { readonly x: number; readonly y: number } => {
  const found = positions.get(id);
  if (found === undefined) throw new Error(`${id} has no place.`);
  return found;
};

describe("Boxes in layers", () => {
  test("each is on the right of all that lead to it, and next to what it leads to", () => {
    const made = layered(boxes("a", "b", "c", "d"), links("ab", "bc", "ac", "dc"));
    expect(["a", "b", "c", "d"].map((id) => place(made, id).x)).toEqual([0, 290, 580, 290]);
    expect(made.width).toBe(780);
  });

  test("a circle is cut open", () => {
    const made = layered(boxes("a", "b", "c"), links("ab", "bc", "ca", "aa", "ba"));
    expect(["a", "b", "c"].map((id) => place(made, id).x)).toEqual([0, 290, 580]);
  });

  test("what belongs together is side by side, however it was told", () => {
    const made = layered(boxes("a", "b", "x", "y"), links("ay", "bx", "by"));
    expect(place(made, "a").y).toBeLessThan(place(made, "b").y);
    expect(place(made, "y").y).toBeLessThan(place(made, "x").y);
  });

  test("what everybody leads to is in the middle of them", () => {
    const made = layered(boxes("m", "a", "b", "c"), links("am", "bm", "cm"));
    expect(place(made, "m").y).toBeCloseTo(place(made, "b").y);
    expect(made.height).toBe(3 * 40 + 2 * 16);
  });

  test("those without links are in rows below", () => {
    const made = layered(boxes("a", "b", "c", "d", "e", "f"), links("ab"));
    expect(["c", "d", "e", "f"].map((id) => place(made, id))).toEqual([
      { x: 0, y: 56 },
      { x: 216, y: 56 },
      { x: 0, y: 112 },
      { x: 216, y: 112 },
    ]);
    expect(made).toMatchObject({ width: 490, height: 152 });
  });
});

test("no box covers another, and all are within the whole", () => {
  const ids = Array.from("abcdefghijkl");
  const anyBox = record({ width: integer({ min: 1, max: 900 }), height: integer({ min: 1, max: 900 }) });
  const anyLink = record({ from: constantFrom(...ids), to: constantFrom(...ids) });
  assert(
    property(array(anyBox, { maxLength: ids.length }), array(anyLink), (sizes, between) => {
      const all = sizes.map((each, index) => ({ ...each, id: ids[index] ?? "" }));
      const made = layered(all, between);
      const placed = all.map((each) => ({ ...each, ...place(made, each.id) }));
      const slack = 1e-6;
      for (const { x, y, width, height } of placed) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(-slack);
        expect(x + width).toBeLessThanOrEqual(made.width + slack);
        expect(y + height).toBeLessThanOrEqual(made.height + slack);
      }
      for (const [index, one] of placed.entries()) {
        for (const other of placed.slice(index + 1)) {
          const isApart =
            one.x + one.width <= other.x + slack ||
            other.x + other.width <= one.x + slack ||
            one.y + one.height <= other.y + slack ||
            other.y + other.height <= one.y + slack;
          expect(isApart).toBe(true);
        }
      }
    }),
  );
});
