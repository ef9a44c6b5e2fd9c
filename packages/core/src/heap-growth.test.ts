import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const module = new URL("heap-growth.ts", import.meta.url).href;

/** How many full collections it takes to replace what is alive a few times, in a process of its own. */
async function fullCollections(percent: number): Promise<number> {
  const program = `
    import { letHeapGrow } from ${JSON.stringify(module)};
    letHeapGrow(${percent});
    const alive = [];
    for (let at = 0; at < 1_500_000; at++) alive[at % 300_000] = { at, list: [at, at, at, at] };
  `;
  // So that collections come at the same places in every run.
  const flags = ["--trace-gc", "--single-threaded", "--max-semi-space-size=1"];
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.split("Mark-Compact").length - 1;
}

test("the more a heap may grow, the fewer full collections there are", async () => {
  const seldom = await fullCollections(200);
  expect(await fullCollections(10)).toBeGreaterThan(2 * seldom);
});
