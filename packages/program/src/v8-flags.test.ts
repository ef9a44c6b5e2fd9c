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
    const whole = `{ readsStreams: true, maxYoungBytes: 1e7, passesRequests: { roomForGarbageBytes: 1e7, collectEveryBytes: 1e6 } }`;
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

/**
 * The sizes that the young generation has grown to while each time megabytes of what was made lived on for a while. They
 * are read right after a collection: between two of them V8 may take some pages more than it has grown to.
 */
async function youngSizes(prepare: string): Promise<number[]> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { tuneHeap } from ${module};
    ${prepare}
    const sizes = [];
    let alive = [];
    for (let turn = 0; turn < 200; turn++) {
      if (turn % 50 === 0) alive = [];
      for (let index = 0; index < 10_000; index++) alive.push({ index, list: [index, index, index, index] });
      await new Promise(setImmediate);
      if (turn % 10 !== 9) continue;
      gc({ type: "minor" });
      const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
      sizes.push(2 * (young.space_used_size + young.space_available_size));
    }
    console.log(JSON.stringify(sizes));
    process.exit();
  `;
  return JSON.parse((await run(program, ["--expose-gc"])).out);
}

test("the young generation grows up to its limit and no further", async () => {
  // More than it has grown to before anybody could say so.
  const maxYoungBytes = 32 * 1024 * 1024;
  expect(Math.max(...(await youngSizes("")))).toBeGreaterThan(maxYoungBytes);
  const bounded = await youngSizes(`tuneHeap({ maxYoungBytes: ${maxYoungBytes} }, ${stillClock});`);
  expect(Math.max(...bounded)).toBeLessThanOrEqual(maxYoungBytes);
  expect(Math.max(...bounded)).toBeGreaterThan(maxYoungBytes / 4);
});

/** How often V8 compiled a function of WebAssembly once more, which is called again and again. */
async function wasmOptimizations(prepare: string): Promise<number> {
  // (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add)
  const wasm = "0061736d0100000001060160017f017f03020100070501016600000a09010700200041016a0b";
  const { out } = await run(
    `
    import { tuneHeap } from ${module};
    ${prepare}
    const compiled = new WebAssembly.Module(Buffer.from("${wasm}", "hex"));
    const { f } = new WebAssembly.Instance(compiled).exports;
    for (let at = 0, sum = 0; at < 5_000_000; at++) sum = f(sum);
  `,
    ["--trace-wasm-compilation-times", "--single-threaded", "--wasm-tiering-budget=1000"],
  );
  // What strips the types is WebAssembly too.
  return out.split(/using TurboFan.* bodysize 7 /u).length - 1;
}

test("WebAssembly stays as it was compiled first", async () => {
  expect(await wasmOptimizations("")).toBeGreaterThan(0);
  expect(await wasmOptimizations(`tuneHeap({ readsStreams: true }, ${stillClock});`)).toBe(0);
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

/** How many full collections it takes to replace what is alive a few times, after what was done before. */
async function fullCollections(room: object, before = ""): Promise<number> {
  const program = `
    import { tuneHeap } from ${module};
    const alive = Array.from({ length: 30_000 }, (_, at) => new Array(50).fill(at));
    let look;
    const clock = { after: (_, callback) => ((look = callback), () => {}) };
    const tuning = { passesRequests: { ...${JSON.stringify(room)}, collectEveryBytes: 1e9 } };
    const { bytesPassed } = tuneHeap(tuning, clock);
    ${before}
    for (let at = 0; at < 1_200_000; at++) alive[at % alive.length] = new Array(50).fill(at);
  `;
  // So that collections come at the same places in every run.
  const { out } = await run(program, ["--trace-gc", "--single-threaded", "--max-semi-space-size=1"]);
  return out.split("Mark-Compact").length - 1;
}

test("the more room there is, the fewer full collections there are", async () => {
  const seldom = await fullCollections({ roomForGarbageBytes: 100_000_000 });
  expect(await fullCollections({ roomForGarbageBytes: 1_000_000 })).toBeGreaterThan(seldom);
});

test("while streams pass there is the room that they need, and not for longer", async () => {
  const room = { roomForGarbageBytes: 1_000_000, roomForStreamsBytes: 100_000_000 };
  const [before, during, after] = await Promise.all([
    fullCollections(room, "bytesPassed(1e8);"),
    fullCollections(room, "bytesPassed(1e9); look();"),
    fullCollections(room, "bytesPassed(1e9); look(); look();"),
  ]);
  expect(before).toBeGreaterThan(during);
  expect(after).toBeGreaterThan(during);
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
