import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { startPostgres, type PostgresServer } from "./postgres.ts";
import { descendantPids, livingPids } from "./process-tree.ts";

async function query(server: PostgresServer, url: string, sql: string): Promise<string> {
  const args = ["--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, url];
  const psql = join(server.programFolder, "psql");
  return (await promisify(execFile)(psql, args, { timeout: 20_000, env: {} })).stdout.trim();
}

it("answers queries over TCP and over its socket, and leaves nothing when it is stopped", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  expect(await query(server, server.url, "select 6 * 7")).toBe("42");
  const { user, password, port, database, socketFolder } = server;
  const socketUrl = `postgres://${user}:${password}@/${database}?host=${socketFolder}&port=${port}`;
  expect(await query(server, socketUrl, "show fsync")).toBe("off");

  const pidFile = await readFile(join(socketFolder, "data", "postmaster.pid"), "utf8");
  const postmaster = Number(pidFile.split("\n")[0]);
  const processes = [postmaster, ...(await descendantPids(postmaster))];
  expect(processes.length).toBeGreaterThan(3);
  await server.stop();
  await server.stop();
  expect(await livingPids(processes)).toEqual([]);
  expect(existsSync(socketFolder)).toBe(false);
});

it("lets nobody in without the password, and ends although a client stays connected", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const wrongUrl = server.url.replace(server.password, "wrong");
  await expect(query(server, wrongUrl, "select 1")).rejects.toThrow("authentication failed");
  const sleeping = query(server, server.url, "select pg_sleep(60)").catch((error: Error) => error.message);
  await expect
    .poll(() =>
      query(server, server.url, "select count(*) from pg_stat_activity where query like '%pg_sleep(60)'"),
    )
    .toBe("1");
  await server.stop();
  expect(await sleeping).toContain("terminating connection due to administrator command");
});

it("flushes what it commits when it is to be durable", async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.stop());
  const settings = "select string_agg(setting, ' ') from pg_settings where name = any";
  const names = "'{fsync,synchronous_commit,full_page_writes}'";
  expect(await query(server, server.url, `${settings}(${names})`)).toBe("on on on");
});

it.each(["fast", "immediate"] as const)("goes on with what was committed after a %s halt", async (mode) => {
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.stop());
  await query(server, server.url, "create table kept as select 42 as answer");
  await server.halt(mode);
  await expect(query(server, server.url, "select 1")).rejects.toThrow("Connection refused");
  await server.resume();
  expect(await query(server, server.url, "select answer from kept")).toBe("42");
  expect(server.logs().join("\n").includes("automatic recovery in progress")).toBe(mode === "immediate");
});
