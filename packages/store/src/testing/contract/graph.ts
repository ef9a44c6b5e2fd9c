import { setImmediate as nextTurn } from "node:timers/promises";

import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { ReportKey } from "../../reports/report.ts";
import { cluster } from "../sample-objects.ts";
import { items, resource } from "../sample-reports.ts";
import { allOf, coverage, factsAt, factsOf, graphItems, podFacts } from "../sample-graphs.ts";
import { newStore, openTestStore, type OpenOptions, type StoreHarness } from "../store-harness.ts";

type Parts = Parameters<typeof graphItems>[1];

async function setup(harness: StoreHarness, options: OpenOptions = {}) {
  const clock = new ManualClock();
  const store = await newStore(harness, { clock, ...options });
  const clusterId = (await store.objects.create(Cluster, cluster("east"))).object.metadata.id;
  const { graph } = store;
  const epoch = (number: number, instance = "pod-1"): ReportKey => ({ clusterId, epoch: number, instance });
  let sequence = 0;
  const begin = async (number: number): Promise<void> => {
    sequence = 0;
    await graph.begin(epoch(number));
  };
  let current = 1;
  await begin(current);
  return {
    store,
    graph,
    clusterId,
    clock,
    epoch,
    /** Begins the next epoch. */
    restart: () => begin((current += 1)),
    /** Sends the next batch of the epoch, now or with another time of observation. */
    tell: (parts: Parts, observedAtMs = clock.now()) =>
      graph.store({ key: epoch(current), sequence: (sequence += 1), items: graphItems(observedAtMs, parts) }),
    complete: () => graph.complete(epoch(current), (sequence += 1)),
    now: async () => factsOf(await allOf(graph.current(clusterId, 2))),
    at: (timeMs: number) => factsAt(graph, clusterId, timeMs),
  };
}

export function graphContract(harness: StoreHarness): void {
  describe("graphs", () => {
    test("have every version of what objects said, at any time", async () => {
      const { graph, clusterId, clock, tell, now, at } = await setup(harness);
      const start = clock.now();
      const whole = podFacts("a", "ünïcode 😀 \\u0000", { group: "apps", kind: "Deployment", namespace: "" });
      expect(await tell([whole, podFacts("b", "1")])).toEqual({ isNew: true, refused: [], isChange: true });
      await clock.advance(1_000);
      await tell([podFacts("b", "2"), podFacts("c", "1")]);
      await clock.advance(1_000);
      await tell([{ gone: "a" }, { gone: "never" }, podFacts("c", "2")]);
      const words = "ünïcode 😀 \\u0000";
      expect(await now()).toEqual({ b: "2", c: "2" });
      expect(await at(start - 1)).toEqual({});
      expect(await at(start)).toEqual({ a: words, b: "1" });
      expect(await at(start + 999)).toEqual({ a: words, b: "1" });
      expect(await at(start + 1_000)).toEqual({ a: words, b: "2", c: "1" });
      expect(await at(start + 2_000)).toEqual({ b: "2", c: "2" });
      const versions = await allOf(graph.at(clusterId, start));
      expect(versions).toContainEqual({ ...whole, fromMs: start, toMs: start + 2_000 });
      expect(await graph.state(clusterId)).toMatchObject({ objects: 2, change: 6, complete: false });
    });

    test("get no version of an object that says the same again, in whichever epoch", async () => {
      const { graph, clusterId, clock, tell, restart, complete } = await setup(harness);
      await tell([podFacts("a", "1"), podFacts("a", "1")]);
      await clock.advance(1_000);
      await restart();
      expect(await tell([podFacts("a", "1")])).toMatchObject({ isNew: true, isChange: false });
      expect(await complete()).toBe(true);
      const versions = await allOf(graph.current(clusterId));
      expect(versions).toEqual([{ ...podFacts("a", "1"), fromMs: clock.now() - 1_000 }]);
      expect(await graph.state(clusterId)).toMatchObject({ objects: 1, change: 1, complete: true });
    });

    test("store a batch once, refuse one that comes too early, and one of an epoch that is over", async () => {
      const { graph, epoch, clock, tell, now } = await setup(harness);
      await tell([podFacts("a", "1")]);
      const batch = { key: epoch(1), sequence: 1, items: graphItems(clock.now(), [{ gone: "a" }]) };
      expect(await graph.store(batch)).toMatchObject({ isNew: false });
      await expect(graph.store({ ...batch, sequence: 3 })).rejects.toMatchObject({
        code: "ProtocolViolation",
      });
      await graph.begin(epoch(2, "pod-2"));
      await expect(graph.store({ ...batch, sequence: 2 })).rejects.toMatchObject({ code: "Expired" });
      await expect(graph.begin(epoch(1))).rejects.toMatchObject({ code: "Expired" });
      expect(await now()).toEqual({ a: "1" });
    });

    test("and workloads are reported apart: what is told of one neither ends nor delays the other", async () => {
      const { store, graph, epoch, tell, now } = await setup(harness);
      await store.reports.begin(epoch(7, "pod-7"));
      await store.reports.store({ key: epoch(7, "pod-7"), sequence: 1, items: items(resource("a")) });
      await tell([podFacts("b", "1")]);
      expect(await store.reports.complete(epoch(7, "pod-7"), 2)).toBe(true);
      expect(await graph.begin(epoch(1))).toMatchObject({ sequence: 1, complete: false });
      expect(await now()).toEqual({ b: "1" });
    });

    test("believe no clock that is ahead, and no version begins before the one it follows", async () => {
      const { clock, tell, at, now } = await setup(harness);
      const start = clock.now();
      await tell([podFacts("a", "1")], start + 60_000);
      expect(await at(start)).toEqual({ a: "1" });
      await clock.advance(1_000);
      await tell([podFacts("a", "2")], start - 60_000);
      expect(await at(start)).toEqual({ a: "1" });
      expect(await at(start + 1)).toEqual({ a: "2" });
      await tell([{ gone: "a" }]);
      await tell([podFacts("a", "3"), podFacts("a", "4"), { gone: "a" }, podFacts("a", "5")], start - 60_000);
      expect(await at(start + 999)).toEqual({ a: "2" });
      expect(await at(start + 1_000)).toEqual({ a: "3" });
      expect(await at(start + 1_001)).toEqual({ a: "4" });
      expect(await now()).toEqual({ a: "5" });
    });

    test("have objects of one name and several uids side by side", async () => {
      const { clock, tell, at, now } = await setup(harness);
      await tell([podFacts("a", "old", { name: "web" })]);
      await clock.advance(10);
      await tell([podFacts("b", "new", { name: "web" })]);
      expect(await now()).toEqual({ a: "old", b: "new" });
      await clock.advance(10);
      await tell([{ gone: "a" }]);
      expect(await now()).toEqual({ b: "new" });
      expect(await at(clock.now() - 1)).toEqual({ a: "old", b: "new" });
    });

    test("tell what is known of objects, so that nobody has to send it again", async () => {
      const { graph, clusterId, tell } = await setup(harness);
      const pods = ["a", "b", "c", "d", "e"].map((uid) => podFacts(uid, "1"));
      await tell([...pods, podFacts("gone", "1")]);
      await tell([{ gone: "gone" }, podFacts("c", "2")]);
      const known = await allOf(graph.known(clusterId, 2));
      const expected = [...pods.filter(({ uid }) => uid !== "c"), podFacts("c", "2")];
      const digests = (pods: readonly { readonly uid: string; readonly digest: string }[]) =>
        pods.map(({ uid, digest }) => `${uid} ${digest}`).toSorted();
      expect(digests(known)).toEqual(digests(expected));
      expect(known[0]).toEqual({
        uid: "a",
        group: "",
        kind: "Pod",
        namespace: "shop",
        digest: pods[0]?.digest,
      });
    });

    test("are followed by the numbers of their changes, of each object the last", async () => {
      const { graph, clusterId, tell } = await setup(harness);
      await tell([podFacts("a", "1"), podFacts("b", "1"), podFacts("c", "1")]);
      await tell([podFacts("a", "2"), { gone: "b" }]);
      await tell([podFacts("b", "back")]);
      const changes = await graph.changes(clusterId, 0);
      expect(changes.map(({ change, uid, version }) => [change, uid, version?.facts])).toEqual([
        [3, "c", '{"says":"1"}'],
        [4, "a", '{"says":"2"}'],
        [5, "b", undefined],
        [6, "b", '{"says":"back"}'],
      ]);
      expect((await graph.changes(clusterId, 4, 1)).map(({ change }) => change)).toEqual([5]);
      expect(await graph.changes(clusterId, 6)).toEqual([]);
      expect(await graph.heads()).toEqual(new Map([[clusterId, 6]]));
      const current = changes.filter(({ version }) => version !== undefined);
      expect(await graph.currentBehind(clusterId, 0, 2)).toEqual(current.slice(0, 2));
      expect(await graph.currentBehind(clusterId, 4)).toEqual(current.slice(2));
      expect(await graph.currentOf(clusterId, "b")).toEqual(current[2]?.version);
      expect(await graph.currentOf(clusterId, "never")).toBeUndefined();
    });

    test("know how an earlier time differs from now", async () => {
      const { graph, clusterId, clock, tell } = await setup(harness);
      await tell([podFacts("a", "1"), podFacts("b", "1"), podFacts("c", "1")]);
      const then = clock.now();
      await clock.advance(1_000);
      await tell([podFacts("a", "2"), podFacts("a", "3"), { gone: "b" }, podFacts("d", "1")]);
      await tell([podFacts("e", "1"), { gone: "e" }]);
      expect(factsOf(await allOf(graph.earlier(clusterId, then)))).toEqual({ a: "1", b: "1" });
      expect((await allOf(graph.earlier(clusterId, then, 1))).map(({ uid }) => uid)).toHaveLength(2);
      expect(await allOf(graph.earlier(clusterId, clock.now() + 10))).toEqual([]);
    });

    test("count what came, changed and went in intervals, in all namespaces or in some", async () => {
      const { graph, clusterId, clock, tell } = await setup(harness);
      const start = clock.now();
      await tell([podFacts("a", "1"), podFacts("b", "1"), podFacts("c", "1", { namespace: "other" })]);
      await clock.advance(1_500);
      await tell([podFacts("a", "2"), { gone: "b" }, podFacts("d", "1")]);
      await clock.advance(100);
      await tell([podFacts("a", "3"), podFacts("c", "2", { namespace: "other" })]);
      await clock.advance(1_400);
      await tell([{ gone: "a" }, podFacts("b", "back")]);
      const range = { fromMs: start, toMs: start + 4_000, stepMs: 1_000 };
      expect(await graph.changeCounts(clusterId, range)).toEqual([
        { step: 0, came: 3, changed: 0, went: 0 },
        { step: 1, came: 1, changed: 3, went: 1 },
        { step: 3, came: 1, changed: 0, went: 1 },
      ]);
      const later = { ...range, fromMs: start + 1_000, toMs: start + 3_000, namespaces: ["other", "none"] };
      expect(await graph.changeCounts(clusterId, later)).toEqual([{ step: 0, came: 0, changed: 1, went: 0 }]);
      expect(await graph.changeCounts(clusterId, { ...range, namespaces: ["none"] })).toEqual([]);
    });

    test("say when something was not observed, and since when anything was", async () => {
      const { graph, clusterId, clock, tell } = await setup(harness);
      const start = clock.now();
      expect(await graph.observedSinceMs(clusterId)).toBeUndefined();
      await tell([coverage("Pod", "observed"), coverage("Secret", "forbidden"), coverage("Job", "absent")]);
      await clock.advance(1_000);
      await tell([coverage("Secret", "observed"), coverage("Pod", "failing")]);
      const secret = { kind: "Secret", state: "forbidden", sinceMs: start, toMs: start + 1_000 };
      const pod = { kind: "Pod", state: "failing", sinceMs: start + 1_000 };
      expect(await graph.gaps(clusterId, { fromMs: 0, toMs: start + 9_000 })).toMatchObject([secret, pod]);
      expect(await graph.gaps(clusterId, { fromMs: start + 1_000, toMs: start + 9_000 })).toMatchObject([
        pod,
      ]);
      expect(await graph.gaps(clusterId, { fromMs: 0, toMs: start + 1_000 })).toMatchObject([secret]);
      expect(await graph.observedSinceMs(clusterId)).toBe(start);
    });

    test("say what was observed at a time; an epoch that is complete ends what it did not tell, and no object", async () => {
      const { graph, clusterId, clock, tell, restart, complete, now } = await setup(harness);
      const start = clock.now();
      await tell([coverage("Pod", "observed"), coverage("Secret", "observed"), podFacts("a", "1")]);
      await tell([
        { view: "pods", content: '{"running":1}' },
        { view: "nodes", content: "{}" },
      ]);
      await clock.advance(1_000);
      await tell([coverage("Secret", "forbidden"), coverage("Secret", "forbidden", { namespace: "shop" })]);
      expect(await graph.coverage(clusterId, start - 1)).toEqual([]);
      expect(await graph.coverage(clusterId, start)).toMatchObject([
        { kind: "Pod", state: "observed", sinceMs: start },
        { kind: "Secret", state: "observed" },
      ]);
      const secret = { kind: "Secret", state: "forbidden", message: "Secret is forbidden." };
      expect(await graph.coverage(clusterId)).toMatchObject([
        { kind: "Pod", sinceMs: start },
        { ...secret, namespace: "", sinceMs: start + 1_000 },
        { ...secret, namespace: "shop" },
      ]);
      await clock.advance(1_000);
      await restart();
      await tell([coverage("Secret", "forbidden"), { view: "pods", content: '{"running":1}' }]);
      expect(await graph.coverage(clusterId)).toHaveLength(3);
      expect(await complete()).toBe(true);
      expect(await complete()).toBe(true);
      expect(await graph.coverage(clusterId)).toMatchObject([{ ...secret, sinceMs: start + 1_000 }]);
      expect(await graph.coverage(clusterId, start + 1_999)).toHaveLength(3);
      expect((await graph.views.list({ clusterIds: [clusterId] })).items).toMatchObject([
        { name: "pods", content: '{"running":1}', updatedAtMs: start },
      ]);
      expect(await now()).toEqual({ a: "1" });
    });

    test("keep no more than their limits of one cluster, and say which items were too many", async () => {
      const size = podFacts("a", "1").facts.length;
      const graphLimits = { maxObjects: 2, maxFactsSize: 3 * size, maxCoverage: 1, maxViews: 1 };
      const { tell, now } = await setup(harness, { graphLimits });
      const large = "x".repeat(2 * size);
      const first = await tell([
        podFacts("a", "1"),
        podFacts("b", large),
        podFacts("c", "1"),
        podFacts("d", "1"),
        coverage("Pod", "observed"),
        coverage("Secret", "observed"),
        { view: "one", content: "{}" },
        { view: "two", content: "{}" },
      ]);
      expect(first.refused).toEqual([
        { index: 1, refusal: "too-large" },
        { index: 3, refusal: "too-many-resources" },
        { index: 5, refusal: "too-many-resources" },
        { index: 7, refusal: "too-many-resources" },
      ]);
      expect((await tell([{ gone: "c" }, podFacts("d", "1"), podFacts("a", "2")])).refused).toEqual([]);
      expect(await now()).toEqual({ a: "2", d: "1" });
    });

    test("keep of a cluster that changes without end the newest of its history, and say from when on", async () => {
      const size = podFacts("a", "0").facts.length;
      const { graph, clusterId, clock, tell, at } = await setup(harness, {
        graphLimits: { maxHistorySize: 3 * size },
      });
      const start = clock.now();
      for (let step = 0; step < 8; step += 1) {
        await tell([podFacts("a", String(step)), podFacts("b", "same"), { gone: `never-${step}` }]);
        await clock.advance(1_000);
      }
      const state = await graph.state(clusterId);
      expect(state?.historyFromMs).toBe(start + 4_000);
      await expect(at(start + 3_999)).rejects.toMatchObject({ code: "Expired" });
      await expect(allOf(graph.earlier(clusterId, start))).rejects.toMatchObject({ code: "Expired" });
      expect(await at(start + 4_000)).toEqual({ a: "4", b: "same" });
      // Only who is told that an object is gone could miss something.
      expect(await graph.changes(clusterId, 0)).toHaveLength(2);
    });

    test("forget in time what is over, and who follows from before that has to read them anew", async () => {
      const { store, graph, clusterId, clock, tell, at, now } = await setup(harness);
      const pods = Array.from({ length: 1_200 }, (_, index) => podFacts(`u${index}`, "1"));
      await tell([...pods.slice(0, 600), coverage("Pod", "failing")]);
      await tell([...pods.slice(600), podFacts("stays", "1"), coverage("Pod", "observed")]);
      await clock.advance(1_000);
      await tell(pods.slice(0, 1_000).map(({ uid }) => ({ gone: uid })));
      await tell([podFacts("stays", "2")]);
      const over = clock.now();
      expect(await store.retention.prune({ graphMs: 1 })).toMatchObject({ graph: 0 });
      await clock.advance(1);
      expect(await store.retention.prune({ graphMs: 0 })).toMatchObject({ graph: 1_001 });
      expect(Object.keys(await now())).toHaveLength(201);
      await expect(at(over - 1)).rejects.toMatchObject({ code: "Expired" });
      expect(Object.keys(await at(over))).toHaveLength(201);
      await expect(graph.changes(clusterId, 1_201)).rejects.toMatchObject({ code: "Expired" });
      expect(await graph.changes(clusterId, 2_203)).toHaveLength(1);
      expect(await graph.coverage(clusterId)).toMatchObject([{ state: "observed" }]);
    });

    test("go with their cluster", async () => {
      const { store, graph, clusterId, epoch, tell, now } = await setup(harness);
      await tell([podFacts("a", "1"), coverage("Pod", "observed"), { view: "pods", content: "{}" }]);
      await store.objects.delete(Cluster, "east");
      expect(await graph.state(clusterId)).toBeUndefined();
      expect(await graph.coverage(clusterId)).toEqual([]);
      expect((await graph.views.list({ clusterIds: [clusterId] })).items).toEqual([]);
      await expect(graph.changes(clusterId, 0)).rejects.toMatchObject({ code: "Expired" });
      await expect(graph.begin(epoch(2))).rejects.toMatchObject({ code: "NotFound" });
      expect(await store.retention.prune({ graphMs: 1e9 })).toMatchObject({ graph: 1 });
      expect(await now()).toEqual({});
    });

    test("have numbers that become visible in order, whichever replica stores the batch", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const clusterId = (await one.objects.create(Cluster, cluster("east"))).object.metadata.id;
      const key = { clusterId, epoch: 1, instance: "pod-1" };
      await one.graph.begin(key);
      const tell = async (): Promise<void> => {
        for (let step = 1; step <= 30; step += 1) {
          const batch = { key, sequence: step, items: graphItems(0, [podFacts(`u${step}`, "1")]) };
          await (step % 2 === 0 ? one : other).graph.store(batch);
        }
      };
      const told = tell();
      const seen: number[] = [];
      while (seen.length < 30) {
        // SQLite answers without a break, and would never come to write.
        await nextTurn();
        for (const { change } of await other.graph.changes(clusterId, seen.at(-1) ?? 0)) seen.push(change);
      }
      await told;
      expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    });
  });
}
