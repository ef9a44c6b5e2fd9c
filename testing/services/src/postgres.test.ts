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
