import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const module = new URL("young-generation.ts", import.meta.url).href;

/** The size of the young generation after some 400 MB of short-lived objects, in a process of its own. */
async function youngGenerationBytes(prepare: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepYoungGenerationSmall } from ${JSON.stringify(module)};
    ${prepare}
    const recent = [];
    for (let index = 0; index < 2_000_000; index++) recent[index % 5000] = { index, list: new Array(20).fill(index) };
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

test("the young generation stays far smaller than by default", async () => {
  const byDefault = await youngGenerationBytes("");
  const small = await youngGenerationBytes("keepYoungGenerationSmall();");
  expect(small).toBeGreaterThan(0);
  expect(small * 4).toBeLessThanOrEqual(byDefault);
});

/** Megabytes that are old right after a quiet moment that followed busy ones, in a process of its own. */
async function oldAfterBusyMoments(prepare: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { allocateInYoungGeneration } from ${JSON.stringify(module)};
    ${prepare}
    const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
    const take = (at) => ({ at, request: [at, at, at, at, at, at, at, at] });
    const pass = (count, open) => {
      const underWay = [];
      for (let at = 0; at < count; at++) underWay[at % open] = take(at);
      return underWay;
    };
    for (let busy = 0; busy < 3; busy++) pass(100_000, 100_000);
    gc();
    const before = oldBytes();
    pass(100_000, 8);
    console.log(Math.round((oldBytes() - before) / 1e6));
  `;
  // So that it is decided at the same time in every run.
  const flags = ["--expose-gc", "--max-semi-space-size=1", "--single-threaded", "--no-maglev"];
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("after busy moments, what lives shortly still begins young", async () => {
  expect(await oldAfterBusyMoments("")).toBeGreaterThan(5);
  expect(await oldAfterBusyMoments("allocateInYoungGeneration();")).toBeLessThan(1);
});
