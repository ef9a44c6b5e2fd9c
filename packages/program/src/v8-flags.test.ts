import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { tuneHeap, v8Flags } from "./v8-flags.ts";

const module = JSON.stringify(new URL("v8-flags.ts", import.meta.url).href);
/** The whole of the clock that a process needs which ends by itself. */
const stillClock = "{ after: () => () => {} }";

/** Runs a program in a process of its own, so that no flag reaches the other tests. */
async function run(program: string, flags: readonly string[] = []): Promise<{ out: string; err: string }> {
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { out: stdout, err: stderr };
}

describe("this version of V8", () => {
  test("lists every flag", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--v8-options"]);
    const listed = new Set(stdout.match(/^ {2}--[\w-]+/gmu)?.map((line) => line.trim()));
    for (const flag of Object.values(v8Flags)) {
      const name = flag.replace(/=.*$/u, "").replace(/^--no-/u, "--");
      expect([flag, listed.has(name)]).toEqual([flag, true]);
    }
    expect(listed.has("--no-such-setting")).toBe(false);
  });

  test("takes all of them while it runs, without a word", async () => {
    const unknown = `import { setFlagsFromString } from "node:v8"; setFlagsFromString("--no-such-setting");`;
    expect((await run(unknown)).err).toContain("--no-such-setting");
    const whole = `{ smallYoungGeneration: true, passesRequests: { roomForGarbageBytes: 1e7, collectEveryBytes: 1e6 } }`;
    const known = `import { tuneHeap } from ${module}; tuneHeap(${whole}, ${stillClock}); console.log("tuned");`;
    expect(await run(known)).toEqual({ out: "tuned\n", err: "" });
  });
});

/** The size of the young generation after some 400 MB of short-lived objects. */
async function youngGenerationBytes(prepare: string): Promise<number> {
  const { out } = await run(`
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepYoungGenerationSmall } from ${module};
    ${prepare}
    const recent = [];
    for (let index = 0; index < 2_000_000; index++) recent[index % 5000] = { index, list: new Array(20).fill(index) };
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
  `);
  return Number(out);
}

test("the young generation stays far smaller than by default", async () => {
  const byDefault = await youngGenerationBytes("");
  const small = await youngGenerationBytes("keepYoungGenerationSmall();");
  expect(small).toBeGreaterThan(0);
  expect(small * 4).toBeLessThanOrEqual(byDefault);
});

/** Megabytes that are old right after a quiet moment that followed busy ones. */
async function oldAfterBusyMoments(prepare: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
    import { v8Flags } from ${module};
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
  return Number((await run(program, flags)).out);
}

test("after busy moments, what lives shortly still begins young", async () => {
  expect(await oldAfterBusyMoments("")).toBeGreaterThan(5);
  expect(await oldAfterBusyMoments("setFlagsFromString(v8Flags.allocateYoung);")).toBeLessThan(1);
});

/** How many full collections it takes to replace what is alive a few times. */
async function fullCollections(roomForGarbageBytes: number): Promise<number> {
  const program = `
    import { tuneHeap } from ${module};
    const alive = Array.from({ length: 300_000 }, (_, at) => ({ at, list: [at, at, at, at] }));
    tuneHeap({ passesRequests: { roomForGarbageBytes: ${roomForGarbageBytes}, collectEveryBytes: 1e9 } }, ${stillClock});
    for (let at = 0; at < 3_000_000; at++) alive[at % alive.length] = { at, list: [at, at, at, at] };
  `;
  // So that collections come at the same places in every run.
  const { out } = await run(program, ["--trace-gc", "--single-threaded", "--max-semi-space-size=1"]);
  return out.split("Mark-Compact").length - 1;
}

test("the more room there is, the fewer full collections there are", async () => {
  const seldom = await fullCollections(100_000_000);
  expect(await fullCollections(1_000_000)).toBeGreaterThan(seldom);
});

test("the heap is looked at every second, until that is stopped", async () => {
  const clock = new ManualClock();
  const { stop } = tuneHeap(
    { passesRequests: { roomForGarbageBytes: 1_000_000, collectEveryBytes: 1_000_000_000 } },
    clock,
  );
  await clock.advance(5_000);
  expect(clock.pending).toBe(1);
  stop();
  expect(clock.pending).toBe(0);
});

test("collects the young generation each time so many bytes have passed", async () => {
  const program = `
    import { tuneHeap } from ${module};
    const tuning = { passesRequests: { roomForGarbageBytes: 1_000_000, collectEveryBytes: 1_000 } };
    const { bytesPassed } = tuneHeap(tuning, ${stillClock});
    for (let index = 0; index < 35; index++) bytesPassed(100);
  `;
  const { out } = await run(program, ["--trace-gc"]);
  // V8 calls a collection that was asked for «testing»; those that it makes by itself have other reasons.
  expect(out.match(/Scavenge .* testing/gu)).toHaveLength(3);
});
