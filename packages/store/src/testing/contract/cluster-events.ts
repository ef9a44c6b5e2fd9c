import { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { ClusterEvent } from "../../records/cluster-events.ts";
import { cluster } from "../sample-objects.ts";
import { clusterEvent, items } from "../sample-reports.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const at = (ms: number): string => new Date(ms).toISOString();

async function setup(harness: StoreHarness) {
  const store = await newStore(harness, { pollMs: 3_600_000 });
  const clusterId = (await store.objects.create(Cluster, cluster("east"))).object.metadata.id;
  const key = { clusterId, epoch: 1, instance: "pod-1" };
  await store.reports.begin(key);
  let sequence = 0;
  const tell = (...events: ClusterEvent[]) =>
    store.reports.store({ key, sequence: (sequence += 1), items: items(...events) });
  return { store, clusterId, tell };
}

export function clusterEventsContract(harness: StoreHarness): void {
  describe("events of clusters", () => {
    test("are folded by their UID: counts never fall, times widen, the latest words stay", async () => {
      const { store, clusterId, tell } = await setup(harness);
      const event = (more: Partial<ClusterEvent>) => clusterEvent("e1", clusterId, more);
      await tell(event({ count: 3, lastSeenAtMs: 5_000 }), clusterEvent("e2", clusterId));
      await tell(event({ count: 2, lastSeenAtMs: 4_000, firstSeenAtMs: 500, message: "older" }));
      await tell(
        event({ count: 4, lastSeenAtMs: 6_000, message: "newer" }),
        event({ count: 5, lastSeenAtMs: 7_000, message: "newest" }),
      );
      const { items: listed, total } = await store.events.list({ instance: "web" });
      expect(total).toBe(2);
      expect(listed[0]).toEqual({
        id: expect.any(String),
        type: "Warning",
        reason: "BackOff",
        message: "newest",
        regarding: { kind: "Pod", name: "web-1", namespace: "shop", cluster: "east" },
        instance: "web",
        source: "kubernetes",
        count: 5,
        firstSeenAt: at(500),
        lastSeenAt: at(7_000),
      });
      expect((await store.events.list({ instance: "api" })).total).toBe(0);
      expect((await store.events.list({ cluster: "east" })).total).toBe(2);
    });

    test("are told once when they say nothing new, and to all followers at once", async () => {
      const { store, clusterId, tell } = await setup(harness);
      const following = new AbortController();
      const follower = store.events.feed.follow({ after: 0, signal: following.signal });
      const batches = follower[Symbol.asyncIterator]();
      const next = batches.next();
      const events = Array.from({ length: 300 }, (_, index) => clusterEvent(`e${index}`, clusterId));
      await tell(...events);
      const { value } = await next;
      expect(value).toHaveLength(300);
      expect(await tell(...events)).toMatchObject({ isNew: true });
      expect(await store.events.feed.head()).toBe(300);
      await tell(clusterEvent("e7", clusterId, { count: 2 }));
      expect((await batches.next()).value).toMatchObject([{ revision: 301, event: { count: 2 } }]);
      following.abort();
    });

    test("stay apart from those of other clusters and from Bowline's own", async () => {
      const { store, clusterId, tell } = await setup(harness);
      const westId = (await store.objects.create(Cluster, cluster("west"))).object.metadata.id;
      const west = { clusterId: westId, epoch: 1, instance: "pod-1" };
      await store.reports.begin(west);
      const regarding = { kind: "Token", name: "t", namespace: "shop", cluster: "west" };
      const event = { ...clusterEvent("e1", westId), regarding };
      await store.reports.store({ key: west, sequence: 1, items: items(event) });
      await tell(clusterEvent("e1", clusterId));
      const own = { type: "Normal", reason: "Made", message: "Made.", source: "test" } as const;
      await store.events.record([{ ...own, regarding: { kind: "Token", name: "t" } }]);
      const seen = async (query: Parameters<typeof store.events.list>[0]) =>
        (await store.events.list(query)).items
          .map(({ regarding: { kind, cluster: place } }) => `${kind} ${place ?? "here"}`)
          .toSorted();
      expect(await seen({})).toEqual(["Pod east", "Token here", "Token west"]);
      expect(await seen({ withoutKinds: ["Token"] })).toEqual(["Pod east", "Token west"]);
      expect(await seen({ own: true, kind: "Token" })).toEqual(["Token here"]);
    });

    test("are forgotten, the oldest first, when a cluster has too many of them", async () => {
      const { store, clusterId, tell } = await setup(harness);
      const own = { type: "Normal", reason: "Made", message: "Made.", source: "test" } as const;
      await store.events.record([{ ...own, regarding: { kind: "Cluster", name: "east" } }]);
      const events = Array.from({ length: 1_300 }, (_, index) =>
        clusterEvent(`e${index}`, clusterId, { message: `${index}`, lastSeenAtMs: 1_000 + index }),
      );
      await tell(...events);
      expect(await store.retention.prune({ eventsPerCluster: 1_300 })).toMatchObject({ events: 0 });
      expect(await store.retention.prune({ eventsPerCluster: 100 })).toMatchObject({ events: 1_200 });
      const { items: kept, total } = await store.events.list({ cluster: "east", limit: 1_000 });
      expect(total).toBe(100);
      expect([kept[0]?.message, kept.at(-1)?.message]).toEqual(["1299", "1200"]);
      expect((await store.events.list({ kind: "Cluster" })).total).toBe(1);
    });

    test("are forgotten when they are too old", async () => {
      const { store, clusterId, tell } = await setup(harness);
      const nowMs = Date.now();
      await tell(
        clusterEvent("old", clusterId),
        clusterEvent("new", clusterId, { firstSeenAtMs: nowMs, lastSeenAtMs: nowMs }),
      );
      expect(await store.retention.prune({ eventsMs: 60_000 })).toMatchObject({ events: 1 });
      expect((await store.events.list()).total).toBe(1);
    });
  });
}
