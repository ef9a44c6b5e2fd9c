import { setTimeout as sleep } from "node:timers/promises";

import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { startPostgres } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { NatsUnderTest } from "../../broker/testing/nats-under-test.ts";
import { send } from "../../run/testing/https-request.ts";
import type { ClientLoad } from "./client-load.ts";
import { faultSeed } from "./fault-seed.ts";
import { startServers } from "./start-servers.ts";
import { underLoad } from "./under-load.ts";

type Fault = (load: ClientLoad) => Promise<void>;

/** In this time NATS is found again, and what it lost. */
const settleLimitMs = 30_000;
const maxOutageMs = 1_000;
const maxWrites = 200;

test(
  `a server lives on without NATS and PostgreSQL, and keeps every promise (FAULT_SEED=${faultSeed})`,
  {
    timeout: 180_000,
  },
  async () => {
    const random = seededRandom(faultSeed);
    const postgres = await startPostgres({ durable: true });
    onTestFinished(() => postgres.stop());
    const nats = await NatsUnderTest.create();
    await nats.start();
    const natsUrl = nats.url;
    const { servers, token, record } = await startServers(["server"], { databaseUrl: postgres.url, natsUrl });
    const [url = ""] = servers.map((server) => server.url);

    const loseNats = async (load: ClientLoad, { isWiped }: { isWiped: boolean }): Promise<void> => {
      await nats.kill();
      if (isWiped) await nats.wipe();
      // Writes do not need it.
      await load.acknowledges(20);
      await sleep(random() * maxOutageMs);
      await nats.start();
    };
    const losePostgres = async (mode: "fast" | "immediate"): Promise<void> => {
      await postgres.halt(mode);
      await expectUnavailable(url, token);
      await sleep(random() * maxOutageMs);
      await postgres.resume();
    };
    const faults: Fault[] = [
      (load) => loseNats(load, { isWiped: false }),
      (load) => loseNats(load, { isWiped: true }),
      (load) => loseNats(load, { isWiped: true }),
      () => losePostgres("fast"),
      () => losePostgres("immediate"),
      () => losePostgres("immediate"),
    ];

    await underLoad({ servers, token, record, seed: faultSeed, settleLimitMs }, async (load) => {
      for (const strike of shuffled(faults, random)) {
        await load.acknowledges(Math.floor(random() * maxWrites));
        await strike(load);
      }
      await load.acknowledges(100);
    });
    expect(servers.map(({ worker }) => worker)).toEqual(["server-1"]);
    expect(record.errors.filter((line) => !line.includes("DatabaseUnavailable"))).toEqual([]);
  },
);

/** It says that it lives, that it is not ready, and when to come back. */
async function expectUnavailable(url: string, token: string): Promise<void> {
  expect((await send(`${url}/healthz`)).status).toBe(200);
  expect((await send(`${url}/readyz`)).status).toBe(503);
  const body = { apiVersion: "bowline.dev/v1", kind: "Cluster", metadata: { name: "never" }, spec: {} };
  for (const request of [{ token }, { token, method: "POST", body }]) {
    expect(await send(`${url}/api/v1/clusters`, request)).toMatchObject({
      status: 503,
      headers: { "retry-after": expect.stringMatching(/^\d+$/u) },
      body: expect.stringContaining("DatabaseUnavailable"),
    });
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
