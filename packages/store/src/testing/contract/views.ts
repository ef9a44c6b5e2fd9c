import { setImmediate as nextTurn } from "node:timers/promises";

import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { ViewLogItem } from "../../graph/view-log.ts";
import type { Store } from "../../store.ts";
import { graphItems, podFacts } from "../sample-graphs.ts";
import { cluster } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

type Numbers = Readonly<Record<string, number>>;

/** A cluster whose agent tells of views. */
async function reporter(store: Store, name: string) {
  const clusterId = (await store.objects.create(Cluster, cluster(name))).object.metadata.id;
  let [epoch, sequence] = [1, 0];
  const key = () => ({ clusterId, epoch, instance: "pod-1" });
  await store.graph.begin(key());
  return {
    clusterId,
    /** Views by name, in one batch. */
    tell: (views: Readonly<Record<string, Numbers>>) => {
      const parts = Object.entries(views).map(([view, numbers]) => ({
        view,
        content: JSON.stringify(numbers),
      }));
      return store.graph.store({ key: key(), sequence: (sequence += 1), items: graphItems(0, parts) });
    },
    tellFacts: () =>
      store.graph.store({
        key: key(),
        sequence: (sequence += 1),
        items: graphItems(0, [podFacts("a", "1")]),
      }),
    restart: async () => {
      [epoch, sequence] = [epoch + 1, 0];
      await store.graph.begin(key());
    },
    complete: () => store.graph.complete(key(), (sequence += 1)),
  };
}

function told({ revision, name, content }: ViewLogItem): string {
  return `${revision} ${name} ${content ?? "over"}`;
}

async function readAfter({ graph }: Store, after: number, limit?: number): Promise<unknown[]> {
  const { items, position } = await graph.views.feed.read({ after, limit });
  return [...items.map(told), position];
}

export function viewsContract(harness: StoreHarness): void {
  describe("views", () => {
    test("are listed cluster by cluster, page by page, those that are asked for", async () => {
      const store = await newStore(harness);
      const { views } = store.graph;
      const east = await reporter(store, "east");
      const west = await reporter(store, "west");
      const north = await reporter(store, "north");
      await east.tell({ pods: { Running: 1 }, nodes: { count: 3 } });
      await west.tell({ nodes: { count: 5 } });
      await north.tell({ nodes: { count: 7 } });
      const clusterIds = [west.clusterId, east.clusterId];
      const first = await views.list({ clusterIds, limit: 2 });
      expect(first).toMatchObject({
        resourceVersion: "4",
        items: [
          { clusterId: east.clusterId, name: "nodes", content: '{"count":3}' },
          { clusterId: east.clusterId, name: "pods" },
        ],
      });
      await west.tell({ nodes: { count: 6 } });
      const second = await views.list({ clusterIds, limit: 2, cursor: first.cursor });
      expect(second).toMatchObject({
        // Of the first page: what has changed since comes once more.
        resourceVersion: "4",
        items: [{ clusterId: west.clusterId, name: "nodes", content: '{"count":6}' }],
      });
      expect(second.cursor).toBeUndefined();
      const nodes = await views.list({ clusterIds, names: ["nodes"] });
      expect(nodes.items.map(told)).toEqual(['2 nodes {"count":3}', '5 nodes {"count":6}']);
      expect(await views.list({ clusterIds: [] })).toEqual({ items: [], resourceVersion: "5" });
    });

    test("have pages of a bounded size, however large each of them is", async () => {
      const store = await newStore(harness);
      const east = await reporter(store, "east");
      const name = "x".repeat(3 * 1024 * 1024);
      for (const view of ["a", "b", "c"]) await east.tell({ [view]: { [name]: 1 } });
      const first = await store.graph.views.list({ clusterIds: [east.clusterId] });
      expect(first.items.map((item) => item.name)).toEqual(["a"]);
      const second = await store.graph.views.list({ clusterIds: [east.clusterId], cursor: first.cursor });
      expect(second.items.map((item) => item.name)).toEqual(["b"]);
      const read = await store.graph.views.feed.read({ after: 1 });
      expect([read.items.map((item) => item.name), read.position]).toEqual([["b"], 2]);
    });

    test("can be followed: what has changed after a number, each as it is now", async () => {
      const clock = new ManualClock();
      const store = await newStore(harness, { clock });
      const east = await reporter(store, "east");
      const west = await reporter(store, "west");
      await east.tell({ pods: { Running: 1 }, nodes: { count: 3 } });
      await west.tell({ nodes: { count: 5 } });
      await east.tell({ pods: { Running: 2 } });
      expect(await readAfter(store, 0)).toEqual([
        '2 nodes {"count":3}',
        '3 nodes {"count":5}',
        '4 pods {"Running":2}',
        4,
      ]);
      expect(await readAfter(store, 2, 1)).toEqual(['3 nodes {"count":5}', 3]);
      expect((await store.graph.views.feed.read({ after: 0, kinds: ["pods"] })).items.map(told)).toEqual([
        '4 pods {"Running":2}',
      ]);
      await expect(readAfter(store, 5)).rejects.toMatchObject({ code: "Expired" });
    });

    test("that say what they said before are no news, also those of the next epoch", async () => {
      const clock = new ManualClock();
      const store = await newStore(harness, { clock });
      const east = await reporter(store, "east");
      await east.tell({ pods: { Running: 1 } });
      const startMs = clock.now();
      await clock.advance(1_000);
      await east.tell({ pods: { Running: 1 } });
      await east.restart();
      await east.tell({ pods: { Running: 1 } });
      await east.complete();
      expect(await readAfter(store, 0)).toEqual(['1 pods {"Running":1}', 1]);
      const { items } = await store.graph.views.list({ clusterIds: [east.clusterId] });
      expect(items).toMatchObject([{ name: "pods", updatedAtMs: startMs }]);
    });

    test("that an epoch does not tell any more are over, which is told until it is forgotten", async () => {
      const clock = new ManualClock();
      const store = await newStore(harness, { clock });
      const east = await reporter(store, "east");
      await east.tellFacts();
      await east.tell({ pods: { Running: 1 }, nodes: { count: 3 } });
      await east.restart();
      await east.tell({ pods: { Running: 1 } });
      await east.complete();
      expect(await readAfter(store, 1)).toEqual(["3 nodes over", 3]);
      const list = () => store.graph.views.list({ clusterIds: [east.clusterId] });
      expect(await list()).toMatchObject({ items: [{ name: "pods" }] });
      await clock.advance(10_000);
      await store.retention.prune({ graphMs: 1_000 });
      await expect(readAfter(store, 2)).rejects.toMatchObject({ code: "Expired" });
      expect(await readAfter(store, 3)).toEqual([3]);
      await east.tell({ nodes: { count: 3 } });
      expect(await readAfter(store, 3)).toEqual(['4 nodes {"count":3}', 4]);
    });

    test("who follows finds every view as it is, whichever replica has stored it", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const stop = new AbortController();
      const seen = new Map<string, string | undefined>();
      const follower = one.graph.views.feed.follow({ after: 0, signal: stop.signal });
      const following = (async () => {
        let last = 0;
        for await (const items of follower) {
          for (const { revision, clusterId, name, content } of items) {
            expect(revision).toBeGreaterThan(last);
            last = revision;
            seen.set(`${clusterId} ${name}`, content);
          }
        }
      })();
      const stores = [one, other, one, other];
      const clusters = await Promise.all(stores.map((store, index) => reporter(store, `c${index}`)));
      await Promise.all(
        clusters.map(async ({ tell }) => {
          for (let round = 1; round <= 10; round++) {
            await tell({ pods: { Running: round }, nodes: { count: round % 3 } });
            await nextTurn();
          }
        }),
      );
      const head = await one.graph.views.feed.head();
      expect(head).toBe(4 * 20);
      await expect.poll(() => follower.position).toBe(head);
      stop.abort();
      await following;
      const { items } = await other.graph.views.list({
        clusterIds: clusters.map(({ clusterId }) => clusterId),
      });
      expect(seen).toEqual(
        new Map(items.map(({ clusterId, name, content }) => [`${clusterId} ${name}`, content])),
      );
    });
  });
}
