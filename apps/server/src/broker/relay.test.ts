import { Cluster, Credential, WorkloadDefinition } from "@bowline/api";
import { systemClock, type BowlineError, type Clock } from "@bowline/core";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, credential, definition, openTestStore } from "@bowline/store/testing";
import { Relay } from "./relay.ts";
import { FakeBroker } from "./testing/fake-broker.ts";

let store: Store;
let broker: FakeBroker;
let relay: Relay;
let skips: number;
let errors: BowlineError[];
/** How far the clock is ahead of the real one. */
let aheadMs: number;
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  // No test has to wait for a backoff.
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

beforeEach(async () => {
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  broker = new FakeBroker();
  skips = 0;
  aheadMs = 0;
  errors = [];
  relay = new Relay({
    changes: store.changes,
    broker,
    kinds: ["Cluster", "WorkloadDefinition"],
    clock,
    random: () => 0,
    onSkip: () => (skips += 1),
    onError: (error) => errors.push(error),
  });
});

/** Returns what stops it. */
function run(): () => Promise<void> {
  const stop = new AbortController();
  const running = relay.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  return end;
}

async function start(): Promise<() => Promise<void>> {
  const stop = run();
  await expect.poll(() => skips).toBe(1);
  return stop;
}

describe("The relay", () => {
  test("tells of every change that gives a controller something to do, in order, and of no other", async () => {
    await start();
    await store.objects.create(Cluster, cluster("a"));
    await store.objects.create(Credential, credential("no-controller"));
    await store.objects.writeStatus(Cluster, "a", (current) => ({
      ...current.status,
      observedGeneration: 1,
    }));
    await store.objects.write(Cluster, "a", () => cluster("a", { labels: { only: "labels" } }));
    await store.objects.create(WorkloadDefinition, definition("d"));
    await store.objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }));
    await store.objects.delete(WorkloadDefinition, "d");
    await expect
      .poll(() => broker.publishedIds)
      .toEqual(["Cluster/a@1", "WorkloadDefinition/d@5", "Cluster/a@6"]);
    expect(broker.published.at(-1)).toEqual({
      kind: "Cluster",
      key: "Cluster/a",
      generation: 2,
      id: "Cluster/a@6",
    });
  });

  test("leaves what was there before its start to a sweep, which it asks for once", async () => {
    await store.objects.create(Cluster, cluster("before"));
    await start();
    await store.objects.create(Cluster, cluster("after"));
    await expect.poll(() => broker.publishedIds).toEqual(["Cluster/after@2"]);
    expect(skips).toBe(1);
  });

  test("tells once of an object that changed often before it got to it", async () => {
    const stop = await start();
    await stop();
    for (const region of ["eu-1", "eu-2", "eu-3"]) {
      await store.objects.write(Cluster, "a", () => cluster("a", { region }));
    }
    run();
    // Not skipped: it knows where it was.
    await expect.poll(() => broker.publishedIds).toEqual(["Cluster/a@3"]);
  });

  test("waits for a broker that is away, goes on from there, and has the rest swept", async () => {
    await start();
    broker.isAway = true;
    await store.objects.create(Cluster, cluster("a"));
    await expect.poll(() => errors.length).toBeGreaterThan(3);
    expect(errors.every(({ code }) => code === "BrokerUnavailable")).toBe(true);
    await store.objects.create(Cluster, cluster("b"));
    aheadMs = 60_000;
    const lag = await relay.lag();
    expect(lag.changes).toBe(2);
    expect(lag.ageMs).toBeGreaterThanOrEqual(60_000);
    broker.isAway = false;
    await expect.poll(() => skips).toBe(2);
    expect(await relay.lag()).toEqual({ changes: 0, ageMs: 0 });
    await store.objects.create(Cluster, cluster("c"));
    await expect.poll(() => broker.publishedIds).toEqual(["Cluster/c@3"]);
  });

  test("goes on from the end of a log that was cut, and has the rest swept", async () => {
    const stop = await start();
    await stop();
    await store.objects.create(Cluster, cluster("a"));
    await store.objects.create(Cluster, cluster("b"));
    await store.retention.prune({ changesMs: -1_000 });
    run();
    await expect.poll(() => skips).toBe(2);
    await store.objects.create(Cluster, cluster("c"));
    await expect.poll(() => broker.publishedIds).toEqual(["Cluster/c@3"]);
    expect(errors.map(({ code }) => code)).toEqual(["Expired"]);
  });

  test("is not behind because of changes that are nobody's work", async () => {
    await start();
    await store.objects.create(Credential, credential("x"));
    expect(await relay.lag()).toEqual({ changes: 0, ageMs: 0 });
  });
});
