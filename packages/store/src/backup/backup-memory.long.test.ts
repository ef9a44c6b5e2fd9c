import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { systemClock } from "@bowline/core";
import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { run } from "../engine/transaction.ts";
import { openEngine, type DatabaseOptions } from "../store.ts";
import { postgresSchemas } from "../testing/postgres-schemas.ts";
import { openTestStore } from "../testing/store-harness.ts";

const schemas = postgresSchemas();
const rows = 100_000;
/** Less than all records together. */
const memoryMb = 96;

/** Records of a kilobyte each. */
async function addRecords(database: DatabaseOptions): Promise<void> {
  await (await openTestStore(database)).close();
  const engine = openEngine(database, systemClock);
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select`;
  const value = `cast(i as text), i, 'read', 'allowed', 200, 'r', '${"x".repeat(1_000)}' || i from n`;
  const columns = "id, at, verb, outcome, http_status, request_id, message";
  await engine.commit(
    () => run({ sql: `insert into audit (${columns}) ${numbers} ${value}`, parameters: [] }),
    {
      timeoutMs: 60_000,
    },
  );
  await engine.close();
}

test.each(["sqlite", "postgres"] as const)(
  "100,000 records of %s pass through little memory",
  async (type) => {
    const folder = await createTempFolder("backup");
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const database = async (name: string): Promise<DatabaseOptions> =>
      type === "sqlite"
        ? { type, file: join(folder.path, `${name}.db`) }
        : { type, url: await schemas.create() };
    const [from, to] = [await database("from"), await database("to")];
    await addRecords(from);
    const worker = new Worker(new URL("testing/backup-worker.ts", import.meta.url), {
      workerData: { from, to, file: join(folder.path, "backup") },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    const failed = once(worker, "error").then(([error]) => error);
    expect(await Promise.race([failed, once(worker, "exit")])).toEqual([0]);
    const restored = await openTestStore(to);
    const { items, total } = await restored.audit.list({ limit: 1 });
    expect([items.length, total]).toEqual([1, expect.any(Number)]);
  },
);
