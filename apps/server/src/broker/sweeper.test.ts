import { Cluster, WorkloadDefinition } from "@bowline/api";
import type { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { MemoryLeaseStore } from "@bowline/runtime/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, definition, openTestStore } from "@bowline/store/testing";
import { Sweeper, type Sweep, type SweeperOptions } from "./sweeper.ts";
import { FakeBroker } from "./testing/fake-broker.ts";

let clock: ManualClock;
let store: Store;
let leases: MemoryLeaseStore;
let broker: FakeBroker;
let sweeps: Sweep[];
let errors: BowlineError[];

beforeEach(async () => {
  clock = new ManualClock();
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  leases = new MemoryLeaseStore(clock);
  broker = new FakeBroker();
  sweeps = [];
  errors = [];
});

function start(options: Partial<SweeperOptions> = {}): Sweeper {
  const sweeper = new Sweeper({
    objects: store.objects,
    leases,
    broker,
    kinds: [Cluster],
    owner: "one",
    clock,
    random: () => 0,
    intervalMs: 1_000,
    onSwept: (sweep) => sweeps.push(sweep),
    onError: (error) => errors.push(error),
    ...options,
  });
  const stop = new AbortController();
  const running = sweeper.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });
  return sweeper;
}

const offeredKeys = (): string[] => broker.offered.flat().map(({ key }) => key);

async function observe(name: string): Promise<void> {
  await store.objects.writeStatus(Cluster, name, (current) => ({
    ...current.status,
    observedGeneration: current.metadata.generation,
  }));
}

describe("The sweeper", () => {
  test("offers what nobody has observed, of kinds that have a controller, and at every interval again", async () => {
    await store.objects.create(Cluster, cluster("done"));
    await observe("done");
    await store.objects.create(Cluster, cluster("undone"));
    await store.objects.create(WorkloadDefinition, definition("nobody-acts-on-it"));
    start();
    await clock.settle();
    expect(broker.offered).toEqual([
      [{ kind: "Cluster", key: "Cluster/undone", generation: 1, id: expect.any(String) }],
    ]);
    expect(sweeps).toEqual([{ unobserved: 1, offered: 1, rechecked: 0 }]);
    await observe("undone");
    await store.objects.write(Cluster, "done", () => cluster("done", { region: "eu-1" }));
    await clock.advance(1_000);
    expect(offeredKeys()).toEqual(["Cluster/undone", "Cluster/done"]);
  });

  test("goes through many in pages", async () => {
    const names = Array.from({ length: 1_100 }, (_, index) => `c${index}`);
    await Promise.all(names.map((name) => store.objects.create(Cluster, cluster(name))));
    start();
    await expect.poll(() => sweeps).toEqual([{ unobserved: 1_100, offered: 1_100, rechecked: 0 }]);
    expect(broker.offered.map((page) => page.length)).toEqual([500, 500, 100]);
    expect(new Set(offeredKeys()).size).toBe(1_100);
  });

  test("sweeps when it is asked to, and once more when it is asked during a sweep", async () => {
    const sweeper = start();
    await clock.settle();
    sweeper.request();
    await clock.settle();
    expect(sweeps).toHaveLength(2);
    sweeper.request();
    sweeper.request();
    await clock.settle();
    expect(sweeps).toHaveLength(3);
  });

  test("tries again soon when the broker was away, until it has gone through all", async () => {
    await store.objects.create(Cluster, cluster("a"));
    broker.isAway = true;
    const sweeper = start({ intervalMs: 3_600_000 });
    await clock.advance(5_000);
    expect(errors.length).toBeGreaterThan(1);
    expect(sweeper.failingMs()).toBeGreaterThan(4_000);
    broker.isAway = false;
    await clock.advance(10_000);
    expect(sweeper.failingMs()).toBe(0);
    expect(offeredKeys()).toEqual(["Cluster/a"]);
  });

  test("tells the broker of everything when asked to be thorough, and now and then without being asked", async () => {
    await store.objects.create(Cluster, cluster("stuck"));
    const sweeper = start({ intervalMs: 5 * 60_000 });
    await clock.settle();
    expect(broker.published).toEqual([]);
    broker.isAway = true;
    sweeper.request({ isThorough: true });
    await clock.settle();
    // An ordinary request, or a failure, does not make it forget.
    sweeper.request();
    broker.isAway = false;
    await clock.advance(2_000);
    expect(broker.published.map(({ key }) => key)).toEqual(["Cluster/stuck"]);
    await clock.advance(9 * 60_000);
    expect(broker.published).toHaveLength(1);
    await clock.advance(2 * 60_000);
    expect(new Set(broker.publishedIds).size).toBe(2);
  });

  test("has everything looked at of kinds that watch others when it is asked to be complete, and only then", async () => {
    const names = Array.from({ length: 700 }, (_, index) => `c${index}`);
    await Promise.all(names.map((name) => store.objects.create(Cluster, cluster(name))));
    await Promise.all(names.map(observe));
    await store.objects.create(WorkloadDefinition, definition("watches-nobody"));
    await store.objects.writeStatus(WorkloadDefinition, "watches-nobody", (current) => ({
      ...current.status,
      observedGeneration: 1,
    }));
    const sweeper = start({ kinds: [Cluster, WorkloadDefinition], watching: [Cluster] });
    await clock.settle();
    expect(sweeps).toEqual([{ unobserved: 0, offered: 0, rechecked: 0 }]);
    sweeper.request({ isComplete: true });
    await expect.poll(() => sweeps.at(-1)).toEqual({ unobserved: 0, offered: 0, rechecked: 700 });
    expect(broker.offered.map((page) => page.length)).toEqual([0, 0, 500, 200]);
    expect(new Set(offeredKeys())).toEqual(new Set(names.map((name) => `Cluster/${name}`)));
    await clock.advance(10_000);
    expect(sweeps.length).toBeGreaterThan(3);
    expect(sweeps.at(-1)?.rechecked).toBe(0);
  });

  test("does not forget that it was to be complete when it fails, or when a page is all it got to", async () => {
    await store.objects.create(Cluster, cluster("done"));
    await observe("done");
    const sweeper = start({ watching: [Cluster], intervalMs: 3_600_000 });
    await clock.settle();
    broker.isAway = true;
    sweeper.request({ isComplete: true });
    await clock.settle();
    expect(errors).not.toEqual([]);
    broker.isAway = false;
    sweeper.request();
    await clock.advance(2_000);
    expect(offeredKeys()).toEqual(["Cluster/done"]);
  });

  test("tells the broker of everything when it is to be both", async () => {
    await store.objects.create(Cluster, cluster("done"));
    await observe("done");
    const sweeper = start({ watching: [Cluster], intervalMs: 3_600_000 });
    await clock.settle();
    sweeper.request({ isThorough: true, isComplete: true });
    await clock.settle();
    expect(broker.published.map(({ key }) => key)).toEqual(["Cluster/done"]);
  });

  test("waits while another replica sweeps, and sweeps then", async () => {
    await leases.tryAcquire("sweep", "other", 5_000);
    start({ intervalMs: 3_600_000 });
    await clock.advance(4_000);
    expect(sweeps).toEqual([]);
    await clock.advance(2_000);
    expect(sweeps).toHaveLength(1);
    expect(await leases.tryAcquire("sweep", "other", 5_000)).toBeDefined();
  });

  test("waits for nobody, and takes no lease, where it has the database for itself", async () => {
    await leases.tryAcquire("sweep", "other", 5_000);
    start({
      broker: {
        isShared: false,
        offer: (messages) => broker.offer(messages),
        publish: (messages) => broker.publish(messages),
      },
    });
    await clock.settle();
    expect(sweeps).toHaveLength(1);
    await clock.advance(6_000);
    expect(await leases.tryAcquire("sweep", "third", 5_000)).toMatchObject({ token: 2 });
  });
});
