import { describe, expect, test } from "vitest";

import { RestartIntensity } from "./restart-intensity.ts";

describe("RestartIntensity", () => {
  test("admits so many within any window, and more once the oldest has left it", () => {
    const intensity = new RestartIntensity({ maxRestarts: 2, withinMs: 100 });
    expect([0, 50, 99].map((nowMs) => intensity.admit(nowMs))).toEqual([true, true, false]);
    expect([100, 149, 150].map((nowMs) => intensity.admit(nowMs))).toEqual([true, false, true]);
  });

  test("tolerates none when none are allowed", () => {
    expect(new RestartIntensity({ maxRestarts: 0, withinMs: 100 }).admit(0)).toBe(false);
  });
});
