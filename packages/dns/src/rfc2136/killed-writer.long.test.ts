import { ManagedProcess } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { a, WriterStage } from "../testing/writer-stage.ts";

const program = new URL("../testing/putting-process.ts", import.meta.url).pathname;
const host = "killed.example.com";
const names = [host, `_bowline.${host}`];
const owner = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/shop";
const { signal } = new AbortController();

/** Lets a process change the host so often, and kills it while it goes on. */
async function changeAndKill(stage: WriterStage, turns: number): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let output = "";
  const writer = await ManagedProcess.start({
    command: process.execPath,
    args: [program, stage.address, stage.bind.zone, stage.key.secret, host, owner],
    onOutput(chunk) {
      output += chunk.toString();
      if (output.split("\n").length > turns) enough.resolve();
    },
  });
  onTestFinished(() => writer[Symbol.asyncDispose]());
  await Promise.race([enough.promise, writer.exited]);
  process.kill(writer.pid, "SIGKILL");
  expect(await writer.exited).toContain("SIGKILL");
}

test("a host is as it was before a change or after it, whenever its writer is killed", async () => {
  await using stage = await WriterStage.start("example.com");
  for (const turns of [1, 2, 3, 4, 5, 8, 13, 20]) {
    await changeAndKill(stage, turns);
    const found = await stage.at(...names);
    expect([0, 4]).toContain(found.length);
    if (found.length === 0) continue;
    expect(found[0]).toBe(`_bowline.${host} TXT heritage=bowline,owner=${owner}`);
    const turn = / A 192\.0\.(\d+)\.1$/u.exec(found[1] ?? "")?.[1];
    expect(found.slice(1)).toEqual([1, 2, 3].map((each) => `${host} A 192.0.${turn}.${each}`));
  }
  const writer = stage.open();
  expect(await writer.put(host, [a("198.51.100.1")], { owner, signal })).toEqual({ outcome: "changed" });
  expect(await stage.at(host)).toEqual([`${host} A 198.51.100.1`]);
});
