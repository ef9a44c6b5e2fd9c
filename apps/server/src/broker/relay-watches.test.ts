import {
  Cluster,
  parseFieldSelector,
  placementName,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { BowlineError, systemClock, type Clock } from "@bowline/core";
import type { Change, Store } from "@bowline/store";
import { cluster, instance, openTestStore, placement } from "@bowline/store/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { Relay, type RelayWatch } from "./relay.ts";
import { FakeBroker } from "./testing/fake-broker.ts";

let store: Store;
let broker: FakeBroker;
let skips: number;
let errors: BowlineError[];
// No test has to wait for a backoff.
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

beforeEach(async () => {
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  broker = new FakeBroker();
  skips = 0;
  errors = [];
});

/** Instances hear of their placements, and of every change of the clusters they are placed on. */
const ofPlacements: RelayWatch = {
  kind: "WorkloadPlacement",
  controller: "WorkloadInstance",
  namesOf: ({ object }) => [String(Reflect.get(object.spec, "instance"))],
};
const ofClusters: RelayWatch = {
  kind: "Cluster",
  controller: "WorkloadInstance",
  namesOf: async ({ name }) => {
    const fields = parseFieldSelector(WorkloadPlacement, `spec.cluster=${name}`);
    const { items } = await store.objects.list(WorkloadPlacement, { fields });
    return items.map(({ spec }) => spec.instance);
  },
};

/** Returns what stops it. */
async function start(watches: readonly RelayWatch[], target = broker): Promise<() => Promise<void>> {
  const relay = new Relay({
    changes: store.changes,
    broker: target,
    kinds: ["WorkloadInstance"],
    watches,
    clock,
    random: () => 0,
    onSkip: () => (skips += 1),
    onError: (error) => errors.push(error),
  });
  const before = skips;
  const stop = new AbortController();
  const running = relay.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  await expect.poll(() => skips).toBe(before + 1);
  return end;
}

/** An instance `web` with a placement in the cluster `c1`; three changes. */
async function addWeb(): Promise<void> {
  await store.objects.create(Cluster, cluster("c1"));
  await store.objects.create(WorkloadInstance, instance("web", "web", ["c1"]));
  await store.objects.create(WorkloadPlacement, placement("web", "c1"));
}

async function touchPlacement(healthyCount: number): Promise<void> {
  await store.objects.writeStatus(WorkloadPlacement, placementName("web", "c1"), ({ status }) => ({
    ...status,
    healthyCount,
  }));
}

describe("The relay of a controller that watches another kind", () => {
  test("tells it of every change there: of the spec, of the status alone, and of the end", async () => {
    await addWeb();
    await start([ofPlacements]);
    await touchPlacement(1);
    await store.objects.write(WorkloadPlacement, placementName("web", "c1"), (current) => ({
      ...placement("web", "c1"),
      spec: { ...placement("web", "c1").spec, ...current?.spec, namespace: "shop" },
    }));
    await store.objects.delete(WorkloadPlacement, placementName("web", "c1"));
    await expect.poll(() => broker.publishedIds.at(-1)).toBe("WorkloadInstance/web@6");
    const message = { kind: "WorkloadInstance", key: "WorkloadInstance/web", generation: 0 };
    expect(broker.published.every((each) => each.key === message.key)).toBe(true);
    expect(broker.published.at(-1)).toEqual({ ...message, id: "WorkloadInstance/web@6" });
  });

  test("asks the store whom a change has to do with, and tells each once", async () => {
    await addWeb();
    await store.objects.create(WorkloadInstance, instance("api", "api", ["c1"]));
    await store.objects.create(WorkloadPlacement, placement("api", "c1"));
    await start([ofClusters]);
    await store.objects.write(Cluster, "c1", () => cluster("c1", { labels: { env: "prod" } }));
    await expect
      .poll(() => broker.publishedIds.toSorted())
      .toEqual(["WorkloadInstance/api@6", "WorkloadInstance/web@6"]);
  });

  test("tells it of its own objects' status where it watches that, and of a new generation as ever", async () => {
    await addWeb();
    const ofItself: RelayWatch = {
      kind: "WorkloadInstance",
      controller: "WorkloadInstance",
      namesOf: ({ name, desiredChanged }) => (desiredChanged ? [] : [name]),
    };
    await start([ofItself]);
    await store.objects.writeStatus(WorkloadInstance, "web", ({ status }) => ({
      ...status,
      clusterCount: 2,
    }));
    await expect.poll(() => broker.publishedIds).toEqual(["WorkloadInstance/web@4"]);
    await store.objects.write(WorkloadInstance, "web", () => instance("web", "web", ["c2"]));
    await expect.poll(() => broker.published.at(-1)).toMatchObject({ generation: 2 });
    expect(broker.published).toHaveLength(2);
  });

  test("does not take objects of the watched kind for its own", async () => {
    await start([{ ...ofClusters, namesOf: () => [] }]);
    await store.objects.create(Cluster, cluster("c1"));
    await store.objects.create(WorkloadInstance, instance("web", "web", ["c1"]));
    await expect.poll(() => broker.publishedIds).toEqual(["WorkloadInstance/web@2"]);
  });

  test("sends the same ids from every replica", async () => {
    await addWeb();
    const other = new FakeBroker();
    await start([ofPlacements]);
    await start([ofPlacements], other);
    for (const count of [1, 2, 3]) {
      await touchPlacement(count);
      const id = `WorkloadInstance/web@${count + 3}`;
      await expect.poll(() => broker.publishedIds.at(-1)).toBe(id);
      await expect.poll(() => other.publishedIds.at(-1)).toBe(id);
    }
    expect(other.publishedIds).toEqual(broker.publishedIds);
  });

  test("asks again until it is answered, loses nothing, and does not keep new generations waiting", async () => {
    await addWeb();
    let isBroken = true;
    const asked: number[] = [];
    const failing: RelayWatch = {
      ...ofPlacements,
      namesOf: (change: Change) => {
        asked.push(change.revision);
        if (isBroken) throw new BowlineError("DatabaseUnavailable", "The database is away.");
        return ofPlacements.namesOf(change, [change]);
      },
    };
    await start([failing]);
    await touchPlacement(1);
    await store.objects.write(WorkloadInstance, "web", () => instance("web", "web", ["c2"]));
    await expect.poll(() => asked.length).toBeGreaterThan(3);
    expect(new Set(asked)).toEqual(new Set([4]));
    await expect.poll(() => broker.publishedIds).toContain("WorkloadInstance/web@5");
    expect(broker.publishedIds).not.toContain("WorkloadInstance/web@4");
    expect(errors.every(({ code }) => code === "DatabaseUnavailable")).toBe(true);
    isBroken = false;
    await expect.poll(() => broker.published.some(({ generation }) => generation === 0)).toBe(true);
    // It knew all the time where it was.
    expect(skips).toBe(1);
  });

  test("asks for a sweep when the broker was away, and goes on from there", async () => {
    await addWeb();
    await start([ofPlacements]);
    broker.isAway = true;
    await touchPlacement(1);
    await expect.poll(() => errors.length).toBeGreaterThan(2);
    broker.isAway = false;
    await expect.poll(() => skips).toBe(2);
    await touchPlacement(2);
    await expect.poll(() => broker.publishedIds).toEqual(["WorkloadInstance/web@5"]);
  });

  test("asks for a sweep when the log was cut behind it", async () => {
    await addWeb();
    let isHeld = true;
    const slow: RelayWatch = {
      ...ofPlacements,
      namesOf: (change) => {
        if (isHeld) throw new BowlineError("DatabaseUnavailable", "The database is away.");
        return ofPlacements.namesOf(change, [change]);
      },
    };
    await start([slow]);
    await touchPlacement(1);
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await touchPlacement(2);
    await store.retention.prune({ changesMs: -1_000 });
    isHeld = false;
    await expect.poll(() => skips + broker.published.length).toBeGreaterThan(1);
    await touchPlacement(3);
    await expect.poll(() => broker.publishedIds.at(-1)).toBe("WorkloadInstance/web@6");
  });
});
