/** `up --service systemd` with a systemd that is the first process of its machine. */
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { startSystemd, whyNoSystemd, type SystemdMachine } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** With everything that means something to systemd. */
const data = "/root/bow line $HOME 100%";
const obstacle = await whyNoSystemd(program);
if (obstacle !== undefined) process.stderr.write(`Tests with systemd did not run: ${obstacle}.\n`);

describe.skipIf(obstacle !== undefined)("a unit of systemd", () => {
  let machine: SystemdMachine;
  beforeAll(async () => {
    machine = await startSystemd();
  }, 60_000);
  afterAll(() => machine?.[Symbol.asyncDispose]());

  /** Runs a program to its end, which must be a good one; gives what it printed. */
  async function run(...argv: readonly string[]): Promise<string> {
    const [command = "", ...args] = machine.inside(...argv);
    const path = `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      env: { HOME: "/root", PATH: path, LANG: "C.UTF-8" },
    });
    return stdout + stderr;
  }
  const bowline = (...args: readonly string[]): Promise<string> => run(process.execPath, program, ...args);
  const property = async (name: string): Promise<string> =>
    (await run("systemctl", "show", "--property", name, "--value", "bowline-local")).trim();
  const mainPid = async (): Promise<number> => Number(await property("MainPID"));

  test("runs a server that may write in its data folder alone, and says what it does in the journal", async () => {
    expect(await bowline("up", "--service", "systemd", "--data", data)).toContain("✓ save");
    expect(await bowline("get", "clusters")).toContain("No clusters found.");
    expect(await run("systemctl", "is-enabled", "bowline-local")).toBe("enabled\n");
    await run("journalctl", "--sync");
    const journal = await run("journalctl", "--unit", "bowline-local", "--output", "cat");
    expect(journal).toContain('"msg":"Listening"');
    expect(journal).not.toContain("bwl_");
    const inItsPlace = ["nsenter", "--target", String(await mainPid()), "--mount", "--"];
    await run(...inItsPlace, "touch", `${data}/git`);
    for (const path of ["/etc/written", "/srv/written", "/root/written"]) {
      await expect(run(...inItsPlace, "touch", path)).rejects.toThrow("Read-only file system");
    }
    expect(await run("grep", "CapBnd", `/proc/${await mainPid()}/status`)).toMatch(/:\s0+\n/u);
  });

  test("starts it again when it is killed", async () => {
    const before = await mainPid();
    await run("systemctl", "kill", "--kill-who=main", "--signal=KILL", "bowline-local");
    await expect.poll(() => property("NRestarts")).toBe("1");
    await expect.poll(() => bowline("get", "clusters").catch(String)).toContain("No clusters found.");
    expect(await mainPid()).not.toBe(before);
  });

  test("is stopped well, and taken away with everything", async () => {
    await run("systemctl", "stop", "bowline-local");
    expect([await property("Result"), await property("ExecMainStatus")]).toEqual(["success", "0"]);
    expect(await bowline("up")).toContain("✓ save");
    expect(await bowline("down", "local", "--yes", "--delete-data")).toContain('"local" is gone.');
    expect(await property("LoadState")).toBe("not-found");
    expect(await run("find", "/etc/systemd/system", "-name", "*bowline*")).toBe("");
    await expect(run("ls", data)).rejects.toThrow("No such file or directory");
  });
});
