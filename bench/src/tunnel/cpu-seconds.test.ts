import { expect, test } from "vitest";

import { cpuSeconds, cpuSecondsIn } from "./cpu-seconds.ts";

test("finds user and system time behind a name with any characters", () => {
  expect(cpuSecondsIn("7 (a) b (c) S 1 7 7 0 -1 4194304 500 0 0 0 250 50 9 9 20 0 11 0 5")).toBe(3);
});

test.runIf(process.platform === "linux")("counts what processes have used together", async () => {
  const { user, system } = process.cpuUsage();
  const twice = await cpuSeconds([process.pid, process.pid]);
  expect(twice / 2).toBeCloseTo((user + system) / 1e6, 0);
});
