import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { livingPids } from "./process-tree.ts";
import { createTempFolder } from "./temp-folder.ts";

const index = JSON.stringify(new URL("./index.ts", import.meta.url).href);

interface Owner {
  readonly owner: ChildProcess;
  readonly folder: string;
  readonly pid: number;
}

/** Another process that makes a folder, starts a child, tells of both, and then ends in one way or another. */
async function runOwner(ending: string, preparation = ""): Promise<Owner> {
  const script = `
    const { createTempFolder, ManagedProcess, reapOnExit } = await import(${index});
    const folder = await createTempFolder("reaper-test");
    const child = await ManagedProcess.start({ command: "sleep", args: ["60"] });
    ${preparation}
    console.log(JSON.stringify({ folder: folder.path, pid: child.pid }));
    ${ending}`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(owner.stdout, "data")) as [Buffer];
  return { owner, ...(JSON.parse(line.toString()) as { folder: string; pid: number }) };
}

/** What is still there; the owner's end and the clean-up take a moment. */
async function whatIsLeft(folder: string, pid: number): Promise<unknown[]> {
  await vi.waitUntil(() => !existsSync(folder), { timeout: 60_000 }).catch(() => undefined);
  return [...(existsSync(folder) ? [folder] : []), ...(await livingPids([pid]))];
}

it.each([["SIGKILL"], ["SIGINT"], ["SIGTERM"]] as const)(
  "cleans up after a process that is ended by %s",
  async (signal) => {
    const { owner, folder, pid } = await runOwner("");
    expect(await livingPids([pid])).toEqual([pid]);
    expect(existsSync(folder)).toBe(true);
    owner.kill(signal);
    expect(await whatIsLeft(folder, pid)).toEqual([]);
  },
);

it.each([["process.exit(0)"], ["throw new Error('a failed test')"]])(
  "cleans up after a process that ends with %s",
  async (ending) => {
    const { folder, pid } = await runOwner(ending);
    expect(await whatIsLeft(folder, pid)).toEqual([]);
  },
);

it("does nothing for what its owner has cleaned up", async () => {
  const { owner, folder } = await runOwner("await child.stop(); await folder[Symbol.asyncDispose]();");
  await once(owner, "exit");
  expect(owner.exitCode).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

it("runs a command, before it removes what was made earlier", async () => {
  const witness = await createTempFolder("reaper-witness");
  onTestFinished(() => witness[Symbol.asyncDispose]());
  const copy = join(witness.path, "copy");
  const preparation = `reapOnExit({ kind: "command", argv: ["cp", "-r", folder.path, ${JSON.stringify(copy)}] });`;
  const { owner, folder } = await runOwner("", preparation);
  owner.kill("SIGKILL");
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(existsSync(copy)).toBe(true);
});
