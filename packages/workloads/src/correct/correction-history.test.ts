import { expect, test } from "vitest";

import {
  judgeCorrection,
  noCorrections,
  withCorrection,
  type CorrectionHistory,
} from "./correction-history.ts";

const after = (...times: number[]): CorrectionHistory =>
  times.reduce((history, time) => withCorrection(history, time, ["operator"]), noCorrections);

test("the first is made at once, and each next one waits twice as long", () => {
  expect(judgeCorrection(noCorrections, 0)).toEqual({ verdict: "now" });
  expect(judgeCorrection(after(0), 400)).toEqual({ verdict: "later", afterMs: 600 });
  expect(judgeCorrection(after(0), 1_000)).toEqual({ verdict: "now" });
  expect(judgeCorrection(after(0, 1_000), 1_000)).toEqual({ verdict: "later", afterMs: 2_000 });
  expect(judgeCorrection(after(0, 1_000, 3_000), 3_000)).toEqual({ verdict: "later", afterMs: 4_000 });
});

test("more than five in ten minutes are a fight, which ends with the other one's name", () => {
  const five = after(0, 1_000, 3_000, 7_000, 15_000);
  expect(judgeCorrection(five, 31_000)).toEqual({ verdict: "now" });
  const six = withCorrection(five, 31_000, ["operator"]);
  expect(judgeCorrection(six, 31_000)).toEqual({ verdict: "contested", changedBy: ["operator"] });
  // Time alone does not end it: the fight would begin again.
  expect(judgeCorrection(six, 10_000_000)).toEqual({ verdict: "contested", changedBy: ["operator"] });
});

test("what was long ago is forgotten, and so is everything that decides nothing", () => {
  const spread = Array.from({ length: 100 }, (_, index) => index * 150_000);
  const history = after(...spread);
  expect(history).toMatchObject({ isContested: false });
  expect(history.times.length).toBeLessThanOrEqual(6);
  expect(judgeCorrection(history, 99 * 150_000 + 700_000)).toEqual({ verdict: "now" });
});
