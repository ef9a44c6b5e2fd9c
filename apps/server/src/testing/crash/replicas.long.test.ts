import { seededRandom } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { NatsUnderTest } from "../../broker/testing/nats-under-test.ts";
import { postgresSchemas } from "@bowline/store/testing";
import type { ClientLoad } from "./client-load.ts";
import { faultSeed } from "./fault-seed.ts";
import { startServers, type Servers } from "./start-servers.ts";
import { underLoad } from "./under-load.ts";

const timeout = 120_000;
/** As long as the others wait for a silent replica, and a little for what they then have to do. */
const settleLimitMs = 15_000 + 5_000;
const names = ["one", "two"];

const schemas = postgresSchemas({ durable: true });

async function startWithNats(): Promise<Servers> {
  const nats = await NatsUnderTest.create();
  await nats.start();
  return startServers(names, { databaseUrl: await schemas.create(), natsUrl: nats.url });
}

/** Goes on until every server has done its part; how large that is depends on what else they and the machine do. */
async function allWork(load: ClientLoad, { servers, record }: Servers): Promise<void> {
  while (servers.some(({ worker }) => record.count(worker) < 50)) await load.acknowledges(1);
}

describe(`two servers on one PostgreSQL (FAULT_SEED=${faultSeed})`, () => {
  test("share the work, and one finishes it all when the other is killed", { timeout }, async () => {
    const random = seededRandom(faultSeed);
    const scene = await startWithNats();
    const { servers, record } = scene;
    const killed = servers[random() < 0.5 ? 0 : 1];
    await underLoad({ ...scene, seed: faultSeed, settleLimitMs }, async (load) => {
      await load.acknowledges(200 + Math.floor(random() * 300));
      await allWork(load, scene);
      await record.begins(killed?.worker ?? "");
      await killed?.kill();
    });
    expect(record.errors).toEqual([]);
  });

  test("both look at every change where there is no NATS, never at the same time", { timeout }, async () => {
    const scene = await startServers(names, { databaseUrl: await schemas.create() });
    await underLoad({ ...scene, seed: faultSeed, settleLimitMs }, async (load) => {
      await load.acknowledges(300);
      await allWork(load, scene);
    });
    expect(scene.record.errors).toEqual([]);
  });

  test("are restarted one after the other, and no client misses anything", { timeout }, async () => {
    const random = seededRandom(faultSeed);
    const scene = await startWithNats();
    await underLoad({ ...scene, seed: faultSeed, settleLimitMs }, async (load, watch) => {
      for (const server of scene.servers) {
        await load.acknowledges(Math.floor(random() * 200));
        expect(await server.terminate()).toBe(0);
        await load.acknowledges(50);
        await server.start();
      }
      await load.acknowledges(100);
      expect(watch.connections).toBeGreaterThan(1);
    });
    expect(scene.record.errors).toEqual([]);
  });
});
