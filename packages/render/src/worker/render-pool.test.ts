import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { defaultRenderLimits } from "../render-limits.ts";
import { RenderPool, type RenderPoolOptions } from "./render-pool.ts";
import type { WorkerTask } from "./worker-task.ts";

function poolOf(options: RenderPoolOptions = {}): RenderPool {
  const pool = new RenderPool({ concurrency: 1, ...options });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return pool;
}

/** A pool whose processes do something else with their tasks. */
async function poolThat(does: string, options: RenderPoolOptions = {}): Promise<RenderPool> {
  const folder = await createTempFolder("pool");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, "worker.mjs");
  await writeFile(path, `${does}\n`);
  return poolOf({ ...options, source: pathToFileURL(path) });
}

const { signal } = new AbortController();
const patient = { timeoutMs: 30_000, signal };
const task = (text = ""): WorkerTask => ({
  kind: "readManifests",
  request: {
    files: [{ path: "a.yaml", bytes: new TextEncoder().encode(text) }],
    maxFileBytes: 1_000_000,
    limits: defaultRenderLimits,
    renderer: "yaml",
  },
});

const onMessage = (body: string): string => `process.on("message", () => { ${body} });`;

test("one process is started when it is needed, used again, and ended when it is idle", async () => {
  const ended: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonicMs: () => 0,
    sleep: (_: number, stop?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => stop?.addEventListener("abort", () => reject(stop.reason))),
    after: (_: number, callback: () => void) => {
      ended.push(callback);
      return () => undefined;
    },
  };
  const pool = poolOf({ clock });
  expect(pool.processes).toEqual({ idle: 0, started: 0 });
  await Promise.all([pool.run(task(), patient), pool.run(task(), patient)]);
  expect(pool.processes).toEqual({ idle: 1, started: 1 });
  ended.at(-1)?.();
  expect(pool.processes).toEqual({ idle: 0, started: 1 });
  await pool.run(task(), patient);
  expect(pool.processes).toEqual({ idle: 1, started: 2 });
});

test("a task that takes too long is stopped with its process, and the next one gets another", async () => {
  const pool = await poolThat(onMessage("for (;;) {}"));
  await expect(pool.run(task(), { timeoutMs: 50, signal })).rejects.toMatchObject({
    code: "RenderFailed",
    message: "Rendering took longer than 50 ms and was stopped.",
  });
  expect(pool.processes).toEqual({ idle: 0, started: 1 });
});

test("a task that nobody wants any more is stopped with its process", async () => {
  const pool = await poolThat(onMessage("for (;;) {}"));
  const giveUp = new AbortController();
  const running = pool.run(task(), { timeoutMs: 30_000, signal: giveUp.signal });
  const waiting = pool.run(task(), { timeoutMs: 30_000, signal: giveUp.signal });
  giveUp.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  await expect(waiting).rejects.toThrow("enough");
  expect(pool.processes).toEqual({ idle: 0, started: 1 });
});

test("a process that crashes or ends is a named error", async () => {
  const crashing = await poolThat(onMessage('throw new Error("bug");'));
  await expect(crashing.run(task(), patient)).rejects.toMatchObject({
    code: "RenderFailed",
    message: "The rendering process ended by itself (1).",
  });
  const ending = await poolThat(onMessage("process.exit(3);"));
  await expect(ending.run(task(), patient)).rejects.toMatchObject({
    code: "RenderFailed",
    message: "The rendering process ended by itself (3).",
  });
});

test("a process that takes too much memory ends alone, with the number", async () => {
  const memoryBytes = 32 * 1024 * 1024;
  const pool = await poolThat(onMessage("const all = []; for (;;) all.push(new Array(1000).fill(0.5));"), {
    memoryBytes,
  });
  await expect(pool.run(task(), patient)).rejects.toMatchObject({
    code: "TooLarge",
    details: { exceeded: "memory", limit: memoryBytes },
  });
});

test("nothing is rendered once the pool is closed", async () => {
  const pool = poolOf();
  await pool.run(task(), patient);
  await pool[Symbol.asyncDispose]();
  expect(pool.processes.idle).toBe(0);
  await expect(pool.run(task(), patient)).rejects.toMatchObject({ code: "Cancelled" });
});
