import { setTimeout as sleep } from "node:timers/promises";

import { seededRandom } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { tempFolder } from "../../run/testing/start-test-server.ts";
import { ReconcileRecord } from "./reconcile-record.ts";
import { faultSeed } from "./fault-seed.ts";
import { ServerProcess } from "./server-process.ts";
import { adminToken } from "./start-servers.ts";
import { underLoad } from "./under-load.ts";

const kills = 20;
/** About as long as it takes to start. */
const startMs = 700;
/** Clients get this much done at most before the next kill, which then comes within this time. */
const maxWrites = 100;
const maxDelayMs = 50;

test(
  `a server on SQLite that is killed ${kills} times keeps every promise (FAULT_SEED=${faultSeed})`,
  {
    timeout: 180_000,
  },
  async () => {
    const random = seededRandom(faultSeed);
    const record = new ReconcileRecord();
    const server = await ServerProcess.create({ name: "server", dataFolder: await tempFolder(), record });
    const killDuringStart = async (): Promise<void> => {
      server.launch();
      await sleep(random() * startMs);
      await server.kill();
    };
    // In the first one it makes its keys, its tables and its admin.
    await killDuringStart();
    await server.start();
    const servers = [server];
    const token = await adminToken(servers);
    await underLoad(
      { servers, token, record, seed: faultSeed, settleLimitMs: 20_000 },
      async (load, watch) => {
        for (let count = 1; count < kills; count += 1) {
          if (server.isRunning) {
            await load.acknowledges(Math.floor(random() * maxWrites));
            await sleep(random() * maxDelayMs);
            await server.kill();
          } else {
            await killDuringStart();
          }
          if (random() < 0.75) await server.start();
        }
        if (!server.isRunning) await server.start();
        // Changes from here on are nothing that a start would find.
        await load.acknowledges(maxWrites);
        expect(load.unacknowledged).toBeGreaterThan(0);
        expect(watch.connections).toBeGreaterThan(1);
      },
    );
    expect(record.errors).toEqual([]);
  },
);
