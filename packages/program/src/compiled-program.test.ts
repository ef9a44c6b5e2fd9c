import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { createTempFolder, type TempFolder } from "@bowline/test-services";
import { afterEach, beforeEach, expect, test } from "vitest";

import { compilerFlags, programText } from "./compiled-program.ts";

const [module, flags] = ["compiled-program.ts", "v8-flags.ts"].map((file) =>
  JSON.stringify(new URL(file, import.meta.url).href),
);
const text = programText(
  'function later() { return require("node:path").basename(programAddress); }\nexports.name = later;',
);

let folder: TempFolder;
beforeEach(async () => void (folder = await createTempFolder("compiled")));
afterEach(() => folder[Symbol.asyncDispose]());

/** Flags hold for a whole process. */
async function run(script: string, nodeFlags: readonly string[] = []): Promise<string> {
  const imports = `import { readFileSync, writeFileSync } from "node:fs"; import * as program from ${module};`;
  const args = [...nodeFlags, "--input-type=module", "--eval", imports + script];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

async function compiled(): Promise<string> {
  const file = join(folder.path, "shop.v8");
  const code = `program.compileProgram(${JSON.stringify(text)})`;
  await run(`writeFileSync(${JSON.stringify(file)}, ${code});`, compilerFlags);
  return file;
}

/** Prints what it exports, or that it was not run. */
function runText(code: string, source = text): string {
  const address = JSON.stringify(pathToFileURL(join(folder.path, "shop.js")));
  const parts = `{ text: ${JSON.stringify(source)}, code: readFileSync(${JSON.stringify(code)}) }`;
  return `import { startInterpreted } from ${flags}; startInterpreted();
    console.log(program.runProgramText(${parts}, new URL(${address}))?.name() ?? "not run");`;
}

test("the same text makes the same code, which runs without being compiled", async () => {
  const code = await compiled();
  const first = await readFile(code);
  expect(await run(runText(code))).toBe("shop.js\n");
  expect(await readFile(await compiled())).toEqual(first);
});

test("code of another text, or for other flags of V8, is not run", async () => {
  const code = await compiled();
  expect(await run(runText(code, `${text} `))).toBe("not run\n");
  expect(await run(runText(code), ["--no-lazy"])).toBe("not run\n");
});

test("code that was cut off is not run", async () => {
  const code = await compiled();
  const whole = await readFile(code);
  await writeFile(code, whole.subarray(0, whole.length / 2));
  expect(await run(runText(code))).toBe("not run\n");
});

test("from the sources there is none", async () => {
  expect(await run(`console.log(await program.runCompiledProgram("agent"));`)).toBe("undefined\n");
});
