import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { livingPids } from "../process-tree.ts";
import { createTempFolder } from "../temp-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { runBuild, type BuildFolders, type BuildStep } from "./run-build.ts";

async function cacheFolder(): Promise<string> {
  const folder = await createTempFolder("build");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

function shell(title: string, script: string, { work, bin }: BuildFolders): BuildStep {
  return {
    kind: "command",
    title,
    command: "sh",
    args: ["-c", script],
    env: { ...process.env, bin },
    cwd: work,
  };
}

function collector(): { text: () => string; write: (text: string) => void } {
  let all = "";
  return { write: (text) => (all += text), text: () => all };
}

const { signal } = new AbortController();

it("shows its steps and fills the folder at the end", async () => {
  const cache = await cacheFolder();
  const output = collector();
  await runBuild({ folder: join(cache, "kube"), output, signal }, async (folders) => [
    shell("Compile one", 'echo 1 > "$bin/one"', folders),
    shell("Compile two", 'echo 2 > "$bin/two"; echo compiled', folders),
  ]);
  expect(output.text()).toMatch(/^\[1\/2\] Compile one … done in .+\n\[2\/2\] Compile two … done in .+\n$/u);
  expect((await readdir(cache)).sort()).toEqual(["kube", "kube.log"]);
  expect(await readFile(join(cache, "kube", "two"), "utf8")).toBe("2\n");
  expect(await readFile(join(cache, "kube.log"), "utf8")).toContain("== Compile two\nsh -c");
});

it("leaves no half-filled folder when a step fails, and says where the log is", async () => {
  const cache = await cacheFolder();
  const output = collector();
  const building = runBuild({ folder: join(cache, "kube"), output, signal }, async (folders) => [
    shell("Compile one", 'echo 1 > "$bin/one"', folders),
    shell("Compile two", "echo undefined: openapi; exit 1", folders),
  ]);
  await expect(building).rejects.toMatchObject({
    code: "ProcessFailed",
    message: [
      '"Compile two" failed (exit code 1). It last printed:',
      "undefined: openapi",
      `The whole log is in ${join(cache, "kube.log")}`,
    ].join("\n"),
  });
  expect(output.text()).toMatch(/\n\[2\/2\] Compile two … failed after .+\n$/u);
  expect(await readdir(cache)).toEqual(["kube.log"]);
});

it("ends the running step and leaves no half-filled folder when it is interrupted", async () => {
  const cache = await cacheFolder();
  const interrupt = new AbortController();
  const building = runBuild(
    { folder: join(cache, "kube"), output: collector(), signal: interrupt.signal },
    async (folders) => [shell("Compile one", 'sleep 60 & echo $! > "$bin/pid"; wait', folders)],
  );
  const pidFile = join(cache, "kube.building", "bin", "pid");
  await expect.poll(() => readFile(pidFile, "utf8").catch(() => "")).toMatch(/^\d+\n$/);
  const pid = Number(await readFile(pidFile, "utf8"));
  interrupt.abort(new Error("Stopped by SIGINT."));
  await expect(building).rejects.toThrow("Stopped by SIGINT.");
  expect(await livingPids([pid])).toEqual([]);
  expect(await readdir(cache)).toEqual(["kube.log"]);
});
