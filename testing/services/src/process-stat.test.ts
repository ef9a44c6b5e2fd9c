import { expect, it } from "vitest";
import { parseProcessStat } from "./process-stat.ts";

it("reads a process whose name looks like the rest of the line", () => {
  expect(parseProcessStat("4711 (a) S 1 (b) S 12 4700 4600 0 -1")).toEqual({
    pid: 4711,
    parentPid: 12,
    groupPid: 4700,
    isAlive: true,
  });
});

it("tells the dead from the living", () => {
  expect(parseProcessStat("7 (sh) Z 1 7 7 0 -1")?.isAlive).toBe(false);
});

it("knows nothing of a process that is gone", () => {
  expect(parseProcessStat("")).toBeUndefined();
});
