import { spawnSync } from "node:child_process";

import { expect, test } from "vitest";

import {
  cpuSeconds,
  cpuSecondsIn,
  endedChildrenCpuSeconds,
  endedChildrenCpuSecondsIn,
} from "./cpu-seconds.ts";

test("finds user and system time behind a name with any characters", () => {
  const stat = "7 (a) b (c) S 1 7 7 0 -1 4194304 500 0 0 0 250 50 9 11 20 0 11 0 5";
  expect(cpuSecondsIn(stat)).toBe(3);
  expect(endedChildrenCpuSecondsIn(stat)).toBe(0.2);
});

test.runIf(process.platform === "linux")("counts what processes have used together", async () => {
  const { user, system } = process.cpuUsage();
  const twice = await cpuSeconds([process.pid, process.pid]);
  expect(twice / 2).toBeCloseTo((user + system) / 1e6, 0);
});

test.runIf(process.platform === "linux")("counts what children have used once they have ended", async () => {
  const before = await endedChildrenCpuSeconds(process.pid);
  const busy = "const endMs = Date.now() + 300; while (Date.now() < endMs);";
  expect(spawnSync(process.execPath, ["-e", busy]).status).toBe(0);
  expect((await endedChildrenCpuSeconds(process.pid)) - before).toBeGreaterThan(0);
});
