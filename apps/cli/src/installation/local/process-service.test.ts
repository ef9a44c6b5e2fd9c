import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "@bowline/core";
import { createTempFolder, reapOnExit } from "@bowline/test-services";
import { expect, onTestFinished, test, vi } from "vitest";

import { newPhaseContext } from "../testing/phase-context.ts";
import { localOptions } from "./local-options.ts";
import { processService } from "./process-service.ts";
import { identify } from "./process-table.ts";

/** A server by its pid file, in the place of which something runs that nobody can talk to. */
async function newServer() {
  const temp = await createTempFolder("process-service");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
  const { pid = 0 } = child;
  const forget = reapOnExit({ kind: "process-group", pid, signal: "SIGKILL" });
  onTestFinished(() => {
    child.kill("SIGKILL");
    forget();
  });
  const ended = once(child, "exit");
  await writeFile(join(temp.path, "server.pid"), JSON.stringify(await identify(pid)));
  const options = localOptions({ data: temp.path }, undefined, { environment: {}, version: "1.2.3" });
  return { child, ended, folder: temp.path, service: processService(options, {}) };
}

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a server that ends by itself right before its %s is one that has ended",
  async (late) => {
    const { child, ended, folder, service } = await newServer();
    const kill = process.kill.bind(process);
    const killing = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
      if (pid !== child.pid) return kill(pid, signal);
      if (signal !== late) return true;
      child.kill("SIGKILL");
      throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
    });
    onTestFinished(() => killing.mockRestore());
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => (nowMs += 30_000) };
    await service.remove({ ...newPhaseContext("i-1"), clock }, { deleteData: false });
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(await readdir(folder)).toEqual([]);
  },
);
