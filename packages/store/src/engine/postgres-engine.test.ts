import { spawn } from "node:child_process";
import { once } from "node:events";

import { Cluster } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { freePort, startPostgres, type PostgresServer } from "@bowline/test-services";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { cluster } from "../testing/sample-objects.ts";
import { openTestStore } from "../testing/store-harness.ts";
import { PostgresEngine } from "./postgres-engine.ts";
import type { Transaction, Row } from "./transaction.ts";

let server: PostgresServer;
let admin: Client;

beforeAll(async () => {
  server = await startPostgres();
  admin = new Client(server.url);
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await server.stop();
});

function newEngine(options: { readonly statementTimeoutMs?: number } = {}): PostgresEngine {
  const engine = new PostgresEngine({ url: server.url, clock: systemClock, random: () => 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

const fail = (code: string): string => `do $$ begin raise exception using errcode = '${code}'; end $$`;

test("runs a transaction again that lost against another, from its beginning", async () => {
  const engine = newEngine();
  let attempts = 0;
  const transaction = function* (): Transaction<number> {
    attempts += 1;
    if (attempts === 1) yield { sql: fail("40001"), parameters: [] };
    if (attempts === 2) yield { sql: fail("40P01"), parameters: [] };
    return attempts;
  };
  expect(await engine.commit(transaction)).toBe(3);
});

test("gives up on one that loses every time", async () => {
  const engine = newEngine();
  let attempts = 0;
  const transaction = function* (): Transaction<void> {
    attempts += 1;
    yield { sql: fail("40001"), parameters: [] };
  };
  await expect(engine.commit(transaction)).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    retryable: true,
  });
  expect(attempts).toBe(10);
});

test("does not run again what the database refuses, and the connection can still be used", async () => {
  const engine = newEngine();
  let attempts = 0;
  const transaction = function* (): Transaction<void> {
    attempts += 1;
    yield { sql: "select 1 / 0", parameters: [] };
  };
  await expect(engine.commit(transaction)).rejects.toMatchObject({ code: "Internal" });
  expect(attempts).toBe(1);
  const rows = await engine.read(function* (): Transaction<readonly Row[]> {
    return yield { sql: "select 1 as one", parameters: [] };
  });
  expect(rows).toEqual([{ one: 1 }]);
});

test("limits how long a statement may take, and lifts the limit for who asks", async () => {
  const engine = newEngine({ statementTimeoutMs: 50 });
  const sleep = function* (): Transaction<void> {
    yield { sql: "select pg_sleep(0.2)", parameters: [] };
  };
  await expect(engine.commit(sleep)).rejects.toMatchObject({ code: "Timeout" });
  await expect(engine.commit(sleep, { timeoutMs: 20_000 })).resolves.toBeUndefined();
});

test("a read sees the database as it was at one moment", async () => {
  const engine = newEngine();
  await admin.query("create table moment (a int); insert into moment values (1)");
  const transaction = function* (): Transaction<unknown[]> {
    const first = yield { sql: "select count(*) from moment", parameters: [] };
    const inserted = admin.query("insert into moment values (2)");
    yield { sql: "select pg_sleep(0.05)", parameters: [] };
    inserts.push(inserted);
    return [first, yield { sql: "select count(*) from moment", parameters: [] }];
  };
  const inserts: Promise<unknown>[] = [];
  const [first, second] = await engine.readSnapshot(transaction);
  await Promise.all(inserts);
  expect(second).toEqual(first);
});

test("says so when nobody answers", async () => {
  const url = `postgres://nobody:nothing@127.0.0.1:${await freePort()}/none`;
  await expect(openTestStore({ type: "postgres", url })).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    retryable: true,
  });
});

test("goes on after its connections were cut, and what it acknowledged is there", async () => {
  await admin.query("create database cut");
  const store = await openTestStore({ type: "postgres", url: server.url.replace(/\/postgres$/u, "/cut") });
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  const write = async (name: string): Promise<void> => {
    try {
      await store.objects.create(Cluster, cluster(name));
      acknowledged.push(name);
    } catch (error) {
      failures.push(error);
    }
  };
  for (let round = 0; round < 5; round += 1) {
    const writes = Array.from({ length: 20 }, (_, index) => write(`c${round}-${index}`));
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'cut'");
    await Promise.all(writes);
  }
  for (const failure of failures)
    expect(failure).toMatchObject({ code: "DatabaseUnavailable", retryable: true });
  await expect
    .poll(() =>
      store.ping().then(
        () => "up",
        () => "down",
      ),
    )
    .toBe("up");
  await write("last");
  expect(acknowledged).toContain("last");
  const { items } = await store.objects.list(Cluster, { limit: 1000 });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(acknowledged));
});

test("once closed, keeps no process that wants to end, although the database says nothing any more", async () => {
  const program = `
    import { systemClock } from "@bowline/core";
    import { PostgresEngine } from ${JSON.stringify(new URL("postgres-engine.ts", import.meta.url).href)};
    const engine = new PostgresEngine({ url: ${JSON.stringify(server.url)}, clock: systemClock, random: () => 1 });
    const ask = function* () { return yield { sql: "select pg_backend_pid() as pid", parameters: [] }; };
    const [{ pid }] = await engine.read(ask);
    process.stdin.once("data", () => engine.close());
    console.log(pid);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [pid]: unknown[] = await once(child.stdout, "data");
  process.kill(Number(pid), "SIGSTOP");
  onTestFinished(() => void process.kill(Number(pid), "SIGCONT"));
  child.stdin.end("close");
  expect(await once(child, "exit")).toEqual([0, null]);
});
