import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

const source = new URL("empty-cores.ts", import.meta.url).pathname;
/** Where the kernel writes core files beside the process, they can be looked into. */
const pattern = (await readFile("/proc/sys/kernel/core_pattern", "utf8").catch(() => "|")).trim();
const skip = pattern.startsWith("|") || pattern.includes("/");

/** What is in the core file of a process that dies with a secret in its memory. */
async function coreOf(first: string): Promise<Buffer> {
  const temp = await createTempFolder("core");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const program = join(temp.path, "dies.mjs");
  const body = `const secret = Array.from({ length: 9 }, (_, at) => "canary" + at).join("-"); globalThis.kept = Buffer.from(secret); process.abort();`;
  await writeFile(program, `${first}\n${body}\n`);
  const args = ["-c", `ulimit -c unlimited && exec "$0" "$1"`, process.execPath, program];
  await new Promise<void>((resolve) => {
    execFile("/bin/sh", args, { cwd: temp.path }, () => resolve());
  });
  const core = (await readdir(temp.path)).find((name) => name.startsWith("core"));
  if (core === undefined)
    throw new Error(`There is no core file in ${(await readdir(temp.path)).join(", ")}.`);
  return readFile(join(temp.path, core));
}

const secret = Array.from({ length: 9 }, (_, at) => `canary${at}`).join("-");

test.skipIf(skip)("the core file of a process has nothing of its memory", async () => {
  const plain = await coreOf("");
  expect(plain.includes(secret), "what this would show without it").toBe(true);
  const empty = await coreOf(`import { emptyCores } from ${JSON.stringify(source)}; emptyCores();`);
  expect(empty.includes(secret)).toBe(false);
  expect(empty.length).toBeLessThan(1024 * 1024);
});
