import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { takeProcessLock } from "./process-lock.ts";

function lockFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "bowline-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "lock");
}

test("a file is had by one at a time, and nothing is left beside it", () => {
  const file = lockFile();
  const first = takeProcessLock(file);
  expect(first).toBeDefined();
  expect(readdirSync(join(file, ".."))).toEqual(["lock"]);
  expect(takeProcessLock(file)).toBeUndefined();
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  using second = takeProcessLock(file);
  expect(second).toBeDefined();
});

test("the lock of a process that is killed ends with it", async () => {
  const file = lockFile();
  const module = new URL("./process-lock.ts", import.meta.url).href;
  const script = `
    const { takeProcessLock } = await import(${JSON.stringify(module)});
    globalThis.held = takeProcessLock(${JSON.stringify(file)});
    console.log("held");
    setInterval(() => {}, 1_000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  expect(takeProcessLock(file)).toBeUndefined();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  using lock = takeProcessLock(file);
  expect(lock).toBeDefined();
});

test("a file that cannot be one is an error, and not somebody else's", () => {
  expect(() => takeProcessLock("/nowhere/lock")).toThrow("unable to open");
  const file = lockFile();
  writeFileSync(file, "something else that is long enough to be no header of a database".repeat(20));
  expect(() => takeProcessLock(file)).toThrow("not a database");
});
