import { expect, it, onTestFinished } from "vitest";
import { ManagedProcess, type ManagedProcessOptions } from "./managed-process.ts";
import { descendantPids, livingPids } from "./process-tree.ts";

async function start(script: string, options: Partial<ManagedProcessOptions> = {}): Promise<ManagedProcess> {
  const started = await ManagedProcess.start({
    name: "demo",
    command: "sh",
    args: ["-c", script],
    ...options,
  });
  onTestFinished(() => started.stop());
  return started;
}

function printed(text: string): { options: Partial<ManagedProcessOptions> } {
  let output = "";
  return {
    options: {
      onOutput: (chunk) => (output += chunk.toString()),
      isReady: async () => output.includes(text),
    },
  };
}

it("is started when it says that it is ready, and gone when it is stopped", async () => {
  const process = await start("echo up; exec sleep 60", printed("up").options);
  expect(process.lastLines()).toEqual(["up"]);
  expect(process.isRunning).toBe(true);
  await process.stop();
  await process.stop();
  expect(process.isRunning).toBe(false);
  expect(await process.exited).toBe("signal SIGTERM");
  expect(await livingPids([process.pid])).toEqual([]);
});

it("stops what it started along with it", async () => {
  const process = await start("sleep 60 & sleep 60 & echo up; wait", printed("up").options);
  const children = await descendantPids(process.pid);
  expect(children).toHaveLength(2);
  await process.stop();
  expect(await livingPids(children)).toEqual([]);
});

it("kills what does not end when asked to", async () => {
  const process = await start("trap '' TERM; echo up; while :; do sleep 1; done", {
    ...printed("up").options,
    stopGraceMs: 100,
  });
  await process.stop();
  expect(await process.exited).toBe("signal SIGKILL");
});

it("fails at once, with the last lines, when the process ends before it is ready", async () => {
  const starting = start("echo no disk >&2; exit 3", { isReady: async () => false });
  await expect(starting).rejects.toMatchObject({
    code: "ProcessFailed",
    message: "demo ended before it was ready (exit code 3). It last printed:\nno disk",
  });
});

it("fails, and leaves nothing, when the process is not ready in time", async () => {
  let pid = 0;
  const starting = start("echo $$; exec sleep 60", {
    onOutput: (chunk) => (pid = Number(chunk.toString())),
    isReady: async () => {
      throw new Error("nobody listens");
    },
    readyTimeoutMs: 200,
  });
  await expect(starting).rejects.toMatchObject({
    code: "ProcessFailed",
    message: expect.stringContaining("was not ready after 0.2 s"),
    cause: expect.objectContaining({ message: "nobody listens" }),
  });
  expect(await livingPids([pid])).toEqual([]);
});

it("names a program that is not there", async () => {
  const starting = ManagedProcess.start({ command: "no-such-program" });
  await expect(starting).rejects.toMatchObject({
    code: "MissingProgram",
    message: "Cannot run no-such-program: is it installed?",
  });
});

it("does not wait for a daemon that holds its output open", async () => {
  const process = await start("setsid sleep 60 & echo $!; exit 0");
  expect(await process.exited).toBe("exit code 0");
  globalThis.process.kill(Number(process.lastLines()[0]), "SIGKILL");
});
