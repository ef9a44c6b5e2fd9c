import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startNats } from "./nats.ts";
import { descendantPids, livingPids } from "./process-tree.ts";

/** What the server says of itself to every client. */
async function readInfo(port: number): Promise<Record<string, unknown>> {
  const socket = connect(port, "127.0.0.1");
  const [greeting] = (await once(socket, "data", { signal: AbortSignal.timeout(5_000) })) as [Buffer];
  socket.destroy();
  return JSON.parse(greeting.toString().replace(/^INFO /, "")) as Record<string, unknown>;
}

/** The command line of the server, and its pid, among the processes of this test. */
async function findServer(port: number): Promise<{ pid: number; args: string[] }> {
  for (const pid of await descendantPids(process.pid)) {
    const args = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (args.includes(`--port=${port}`)) return { pid, args };
  }
  throw new Error(`No process was started with the port ${port}.`);
}

it("greets its clients, and leaves nothing when it is stopped", async () => {
  const server = await startNats({ jetstream: true });
  onTestFinished(() => server.stop());
  expect(server.url).toBe(`nats://127.0.0.1:${server.port}`);
  expect(await readInfo(server.port)).toMatchObject({ port: server.port, jetstream: true });

  const { pid, args } = await findServer(server.port);
  const storeFolder = args.find((arg) => arg.startsWith("--store_dir="))?.slice("--store_dir=".length) ?? "";
  expect(existsSync(storeFolder)).toBe(true);
  await server.stop();
  await server.stop();
  expect(await livingPids([pid])).toEqual([]);
  expect(existsSync(storeFolder)).toBe(false);
  await expect(readInfo(server.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("has no JetStream unless it is asked for, and runs beside another", async () => {
  await using one = await startNats();
  await using two = await startNats();
  expect(await readInfo(one.port)).not.toHaveProperty("jetstream");
  expect((await readInfo(one.port))["server_id"]).not.toBe((await readInfo(two.port))["server_id"]);
});
