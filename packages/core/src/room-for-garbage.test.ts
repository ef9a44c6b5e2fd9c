import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const module = new URL("room-for-garbage.ts", import.meta.url).href;

/** How many full collections it takes to replace what is alive a few times, in a process of its own. */
async function fullCollections(roomBytes: number): Promise<number> {
  const program = `
    import { keepRoomForGarbage } from ${JSON.stringify(module)};
    const alive = Array.from({ length: 300_000 }, (_, at) => ({ at, list: [at, at, at, at] }));
    const clock = { after: () => () => {} };
    keepRoomForGarbage(${roomBytes}, clock);
    for (let at = 0; at < 3_000_000; at++) alive[at % alive.length] = { at, list: [at, at, at, at] };
  `;
  // So that collections come at the same places in every run.
  const flags = ["--trace-gc", "--single-threaded", "--max-semi-space-size=1"];
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.split("Mark-Compact").length - 1;
}

test("the more room there is, the fewer full collections there are", async () => {
  const seldom = await fullCollections(100_000_000);
  expect(await fullCollections(1_000_000)).toBeGreaterThan(seldom);
});
