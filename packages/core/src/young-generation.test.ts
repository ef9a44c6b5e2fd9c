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
