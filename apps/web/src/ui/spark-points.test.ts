import { expect, test } from "vitest";

import { sparkPoints } from "./spark-points.ts";

const size = { width: 40, height: 13, capacity: 5 };

test("puts the newest at the right edge, the largest at the top and 0 at the bottom", () => {
  expect(sparkPoints([0, 10, 5], size)).toBe("20,11.5 30,1.5 40,6.5");
});

test("shows as many as there is room for", () => {
  expect(sparkPoints([9, 9, 9, 1, 1, 1, 1, 1], size)).toBe("0,1.5 10,1.5 20,1.5 30,1.5 40,1.5");
  expect(sparkPoints([], size)).toBe("");
});

test("draws nothing outside of the picture", () => {
  expect(sparkPoints([0, 0], size)).toBe("30,11.5 40,11.5");
  expect(sparkPoints([-5, 0.5], size)).toBe("30,11.5 40,6.5");
});
