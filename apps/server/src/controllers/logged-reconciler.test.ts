import { createLogger, type LogLevel } from "@bowline/core";
import { expect, test } from "vitest";

import { loggedReconciler } from "./logged-reconciler.ts";

async function linesOf(level: LogLevel): Promise<unknown[]> {
  const lines: string[] = [];
  const log = createLogger({ name: "test", level, destination: { write: (line) => void lines.push(line) } });
  const failing = {
    async reconcile(): Promise<never> {
      log.info("at work");
      throw new Error("no luck");
    },
  };
  const lease = { token: 7, throwIfLost: () => {} };
  const context = { signal: new AbortController().signal, lease };
  const request = { key: "Cluster/a", attempt: 2 };
  await expect(loggedReconciler(failing, log).reconcile(request, context)).rejects.toThrow("no luck");
  return lines.map((line) => JSON.parse(line));
}

test("the beginning and the end of work on a key are logged, whatever comes of it", async () => {
  const work = { key: "Cluster/a", attempt: 2, fence: 7 };
  expect(await linesOf("debug")).toMatchObject([
    { level: "debug", ...work, msg: "Reconcile begins" },
    { msg: "at work" },
    { level: "debug", ...work, msg: "Reconcile ends" },
  ]);
});

test("only who asks for debugging gets to see it", async () => {
  expect(await linesOf("info")).toMatchObject([{ msg: "at work" }]);
});
