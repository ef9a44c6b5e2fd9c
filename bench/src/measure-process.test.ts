import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

test("a measured process that listens ends when the bench is gone, even if that was killed", async () => {
  const script = fileURLToPath(new URL("tunnel/relay-process.ts", import.meta.url));
  const child = fork(script, ["1", "0", "1"], { execArgv: ["--no-warnings"], stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  child.send({ command: "port" });
  expect(await once(child, "message")).toEqual([{ result: expect.any(Number) }, undefined]);
  child.disconnect();
  expect(await exited).toEqual([0, null]);
});
