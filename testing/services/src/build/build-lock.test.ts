import { join } from "node:path";
import { createTempFolder } from "../temp-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { takeBuildLock } from "./build-lock.ts";

async function lockPath(): Promise<string> {
  const folder = await createTempFolder("lock");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return join(folder.path, "lock");
}

const { signal: never } = new AbortController();

it("lets one in at a time", async () => {
  const path = await lockPath();
  const first = await takeBuildLock(path, never);
  const order: string[] = [];
  const second = takeBuildLock(path, never).then((lock) => {
    order.push("second takes");
    return lock;
  });
  order.push("first releases");
  await first.release();
  await (await second).release();
  expect(order).toEqual(["first releases", "second takes"]);
});

it("stops waiting when it is interrupted", async () => {
  const path = await lockPath();
  const holder = await takeBuildLock(path, never);
  const interrupt = new AbortController();
  const waiting = takeBuildLock(path, interrupt.signal);
  interrupt.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await holder.release();
  await (await takeBuildLock(path, never)).release();
});
