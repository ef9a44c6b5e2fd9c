import { expect, test } from "vitest";

import { vertexCover } from "./vertex-cover.ts";

type Pairs = readonly (readonly [number, number])[];

test.each<[string, Pairs, number[], number[]]>([
  ["nothing", [], [], []],
  ["one pair, by the second of it", [[0, 7]], [], [7]],
  [
    "two that one has in common",
    [
      [0, 1],
      [0, 2],
      [0, 3],
    ],
    [0],
    [],
  ],
  [
    "two that have one in common",
    [
      [1, 0],
      [2, 0],
      [3, 0],
    ],
    [],
    [0],
  ],
  [
    "two apart, of either sort",
    [
      [0, 0],
      [0, 1],
      [1, 2],
      [2, 2],
    ],
    [0],
    [2],
  ],
])("covers %s", (_, pairs, first, second) => {
  const cover = vertexCover(pairs);
  expect([[...cover.first], [...cover.second]]).toEqual([first, second]);
});

/** How many it takes at least, by trying all. */
function smallest(pairs: Pairs, size: number): number {
  const sizes = Array.from({ length: 2 ** (2 * size) }, (_, chosen) => {
    const has = (each: number): boolean => (chosen & (1 << each)) !== 0;
    const covers = pairs.every(([first, second]) => has(first) || has(size + second));
    return covers ? chosen.toString(2).replaceAll("0", "").length : Infinity;
  });
  return Math.min(...sizes);
}

test("no smaller choice covers all pairs, whichever they are", () => {
  const size = 4;
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 200; round += 1) {
    const density = random();
    const pairs = Array.from(
      { length: size * size },
      (_, at) => [at % size, Math.floor(at / size)] as const,
    ).filter(() => random() < density);
    const { first, second } = vertexCover(pairs);
    expect(pairs.every(([one, other]) => first.has(one) || second.has(other))).toBe(true);
    expect([first.size + second.size, pairs]).toEqual([smallest(pairs, size), pairs]);
  }
});
