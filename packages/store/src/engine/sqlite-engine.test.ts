import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createTempFolder, ManagedProcess } from "@bowline/test-services";
import { ManualClock } from "@bowline/core/testing";
import { expect, onTestFinished, test } from "vitest";

import { openTestStore } from "../testing/store-harness.ts";
import type { Transaction, Row } from "./transaction.ts";
import { SqliteEngine } from "./sqlite-engine.ts";

const clock = new ManualClock();

async function databaseFile(): Promise<string> {
  const folder = await createTempFolder("sqlite");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return join(folder.path, "bowline.db");
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("a second engine on the same file is told that there is another, until that is closed", async () => {
  const file = await databaseFile();
  const first = new SqliteEngine({ file, clock });
  expect(thrownBy(() => new SqliteEngine({ file, clock }))).toMatchObject({ code: "DataFolderLocked" });
  await first.close();
  await new SqliteEngine({ file, clock }).close();
});

test("another process is told too, and the lock of one that was killed is gone with it", async () => {
  const file = await databaseFile();
  const writerFile = new URL("../testing/crash-writer.ts", import.meta.url).pathname;
  const started = Promise.withResolvers<void>();
  const writer = await ManagedProcess.start({
    command: process.execPath,
    args: [writerFile, file, "w"],
    onOutput: () => started.resolve(),
  });
  onTestFinished(() => writer[Symbol.asyncDispose]());
  await started.promise;
  expect(thrownBy(() => new SqliteEngine({ file, clock }))).toMatchObject({ code: "DataFolderLocked" });
  process.kill(writer.pid, "SIGKILL");
  await writer.exited;
  await new SqliteEngine({ file, clock }).close();
});

test("reads that share a transaction see each write, and leave it when the engine is closed", async () => {
  const engine = new SqliteEngine({ file: await databaseFile(), clock });
  const statement = (sql: string) =>
    function* (): Transaction<readonly Row[]> {
      return yield { sql, parameters: [] };
    };
  const numbers = (): Promise<readonly Row[]> => engine.read(statement("select number from numbers"));
  await engine.commit(statement("create table numbers (number integer)"));
  const before = numbers();
  // Begun and committed in the turn of the read before it, and followed by one in the turn of the commit.
  await engine.commit(statement("insert into numbers values (1)"));
  expect([await before, await numbers()]).toEqual([[], [{ number: 1 }]]);
  await expect(engine.read(statement("select nonsense"))).rejects.toThrow("refused a statement");
  const last = numbers();
  await engine.close();
  expect(await last).toEqual([{ number: 1 }]);
});

test("a backup tool can read the database while it is open", async () => {
  const file = await databaseFile();
  const store = await openTestStore({ type: "sqlite", file });
  await store.events.record([]);
  const reader = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => reader.close());
  expect(reader.prepare("select revision from store_state").get()).toEqual({ revision: 0 });
  expect(reader.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("says what is wrong with a file that cannot be a database", async () => {
  const file = await databaseFile();
  await writeFile(file, "this is not a database, and long enough for SQLite to look at it".repeat(20));
  expect(thrownBy(() => new SqliteEngine({ file, clock }))).toMatchObject({
    code: "DatabaseUnavailable",
    message: "The file is not a SQLite database.",
  });
  const nowhere = thrownBy(() => new SqliteEngine({ file: "/nowhere/at/all.db", clock }));
  expect(nowhere).toMatchObject({ code: "DatabaseUnavailable" });
});

test("a transaction that fails takes nothing of the others with it", async () => {
  const engine = new SqliteEngine({ file: ":memory:", clock });
  onTestFinished(() => engine.close());
  const execute = (sql: string) =>
    engine.commit(function* () {
      yield { sql, parameters: [] };
    });
  await execute("create table t (a integer primary key)");
  const outcomes = await Promise.allSettled([
    execute("insert into t values (1)"),
    engine.commit(function* () {
      yield { sql: "insert into t values (2)", parameters: [] };
      yield { sql: "insert into t values (1)", parameters: [] };
    }),
    execute("insert into t values (3)"),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const rows = await engine.read(function* (): Transaction<readonly Row[]> {
    return yield { sql: "select a from t order by a", parameters: [] };
  });
  expect(rows.map((row) => row["a"])).toEqual([1, 3]);
});
