import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const module = new URL("optimized-code.ts", import.meta.url).href;

async function complaintsOf(program: string): Promise<string> {
  const args = ["--input-type=module", "--eval", program];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  return stderr;
}

// What it does shows only after eight idle seconds, in `npm run bench -- tunnel`.
test("this version of V8 knows the setting", async () => {
  const unknown = `import { setFlagsFromString } from "node:v8"; setFlagsFromString("--no-such-setting");`;
  expect(await complaintsOf(unknown)).toContain("--no-such-setting");
  const known = `import { keepOptimizedCode } from ${JSON.stringify(module)}; keepOptimizedCode();`;
  expect(await complaintsOf(known)).toBe("");
});
