import { join } from "node:path";

import { Cluster } from "@bowline/api";
import { createTempFolder, ManagedProcess } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { openTestStore } from "./testing/store-harness.ts";

const writerFile = new URL("testing/crash-writer.ts", import.meta.url).pathname;

/** Lets a process write until it has printed this many writes, kills it, and returns them. */
async function writeAndKill(file: string, prefix: string, count: number): Promise<Map<string, number>> {
  const enough = Promise.withResolvers<void>();
  let output = "";
  const writer = await ManagedProcess.start({
    command: process.execPath,
    args: [writerFile, file, prefix],
    onOutput(chunk) {
      output += chunk.toString();
      if (output.split("\n").length > count) enough.resolve();
    },
  });
  onTestFinished(() => writer[Symbol.asyncDispose]());
  await Promise.race([enough.promise, writer.exited]);
  process.kill(writer.pid, "SIGKILL");
  expect(await writer.exited).toContain("SIGKILL");
  // The last line may have been cut off in the middle.
  const lines = output.split("\n").slice(0, -1);
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

test("every write that was acknowledged outlives a kill, and the log is whole", async () => {
  const folder = await createTempFolder("crash");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const file = join(folder.path, "bowline.db");
  const acknowledged = new Map<string, number>();
  for (const [round, count] of [40, 7, 150, 1, 80].entries()) {
    const written = await writeAndKill(file, `round-${round}`, count);
    expect(written.size).toBeGreaterThan(0);
    for (const [name, revision] of written) acknowledged.set(name, revision);

    const store = await openTestStore({ type: "sqlite", file });
    for (const [name, revision] of acknowledged) {
      const found = await store.objects.get(Cluster, name);
      expect(Number(found?.metadata.resourceVersion)).toBeGreaterThanOrEqual(revision);
    }
    const { items: changes, position } = await store.changes.read({ after: 0, limit: 5_000 });
    const revisions = changes.map(({ revision }) => revision);
    expect(revisions).toEqual(Array.from({ length: position }, (_, index) => index + 1));
    const last = new Map(changes.map((change) => [change.name, change.object]));
    expect((await store.objects.list(Cluster, { limit: 1 })).total).toBe(last.size);
    const current = await Promise.all([...last.keys()].map((name) => store.objects.get(Cluster, name)));
    expect(current).toEqual([...last.values()]);
    await store.close();
  }
});
