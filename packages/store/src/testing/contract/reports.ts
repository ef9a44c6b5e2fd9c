import { Cluster } from "@bowline/api";
import { hasCode } from "@bowline/core";
import { describe, expect, test } from "vitest";

import type { ReportKey } from "../../reports/report.ts";
import type { ReportStore } from "../../reports/report-store.ts";
import type { Store } from "../../store.ts";
import { cluster } from "../sample-objects.ts";
import { items, resource, type Part } from "../sample-reports.ts";
import { newStore, openTestStore, type OpenOptions, type StoreHarness } from "../store-harness.ts";

async function addCluster({ objects }: Store, name: string): Promise<string> {
  return (await objects.create(Cluster, cluster(name))).object.metadata.id;
}

async function setup(harness: StoreHarness, options?: OpenOptions) {
  const store = await newStore(harness, options);
  const clusterId = await addCluster(store, "east");
  const { reports } = store;
  const epoch = (number: number, instance = "pod-1"): ReportKey => ({ clusterId, epoch: number, instance });
  const uids = async (workload = "web"): Promise<string[]> =>
    (await reports.list({ clusterId, workload })).items.map(({ uid }) => uid);
  return { store, reports, clusterId, epoch, uids };
}

async function send(reports: ReportStore, key: ReportKey, ...batches: readonly (readonly Part[])[]) {
  const results = [];
  for (const [index, parts] of batches.entries()) {
    results.push(await reports.store({ key, sequence: index + 1, items: items(...parts) }));
  }
  return results;
}

export function reportsContract(harness: StoreHarness): void {
  describe("reports", () => {
    test("keep each object as it was last reported, until it is gone", async () => {
      const { reports, clusterId, epoch } = await setup(harness);
      expect(await reports.cursor(clusterId)).toBeUndefined();
      expect(await reports.begin(epoch(1))).toEqual({ ...epoch(1), sequence: 0, complete: false });
      const whole = resource("u1", {
        ownerUid: "u0",
        applied: "sha256:1",
        changedBy: "kubectl-edit",
        facts: '{"facts":1,"kind":"Deployment","ünïcode":"😀"}',
      });
      const [first, second] = await send(
        reports,
        epoch(1),
        [resource("u1"), whole, resource("u2", { workload: "api" })],
        [resource("u2", { workload: "web" }), resource("u3"), { gone: "u3" }, { gone: "never" }],
      );
      expect(first).toMatchObject({ isNew: true, refused: [], workloads: new Set(["web", "api"]) });
      expect(second).toMatchObject({ workloads: new Set(["api", "web"]) });
      expect((await reports.list({ clusterId, workload: "web" })).items).toEqual([whole, resource("u2")]);
      expect((await reports.list({ clusterId, workload: "api" })).items).toEqual([]);
      const [, , third] = await send(reports, epoch(1), [], [], [{ gone: "u1" }]);
      expect(third).toMatchObject({ isNew: true, workloads: new Set(["web"]) });
      expect((await reports.list({ clusterId, workload: "web" })).items).toEqual([resource("u2")]);
      expect(await reports.cursor(clusterId)).toEqual({ ...epoch(1), sequence: 3, complete: false });
    });

    test("are read page by page", async () => {
      const { reports, clusterId, epoch, uids } = await setup(harness);
      await reports.begin(epoch(1));
      await send(
        reports,
        epoch(1),
        ["c", "a", "b"].map((uid) => resource(uid)),
      );
      const first = await reports.list({ clusterId, workload: "web", limit: 2 });
      const second = await reports.list({ clusterId, workload: "web", limit: 2, cursor: first.cursor });
      expect([first, second].map((page) => page.items.map(({ uid }) => uid))).toEqual([["a", "b"], ["c"]]);
      expect(second.cursor).toBeUndefined();
      expect(await uids()).toEqual(["a", "b", "c"]);
    });

    test("store a batch once, refuse one that comes too early, and go on where they were", async () => {
      const { reports, epoch, uids } = await setup(harness);
      await reports.begin(epoch(1));
      const [, again] = [
        await reports.store({ key: epoch(1), sequence: 1, items: items(resource("a")) }),
        await reports.store({ key: epoch(1), sequence: 1, items: items(resource("b")) }),
      ];
      expect(again).toMatchObject({ isNew: false });
      await expect(
        reports.store({ key: epoch(1), sequence: 3, items: items(resource("c")) }),
      ).rejects.toMatchObject({ code: "ProtocolViolation", details: { stored: 1 } });
      expect(await uids()).toEqual(["a"]);
      expect(await reports.begin(epoch(1))).toMatchObject({ sequence: 1, complete: false });
    });

    test("forget at `complete` what only earlier epochs have reported", async () => {
      const { reports, clusterId, epoch, uids } = await setup(harness);
      await reports.begin(epoch(1));
      const many = Array.from({ length: 1_200 }, (_, index) => `old-${String(index).padStart(4, "0")}`);
      await send(
        reports,
        epoch(1),
        [...many.map((uid) => resource(uid)), resource("stays")],
        [resource("other", { workload: "api" })],
      );
      expect(await reports.complete(epoch(1), 3)).toBe(true);
      expect(await reports.complete(epoch(1), 3)).toBe(false);
      expect(await uids("api")).toEqual(["other"]);

      expect(await reports.begin(epoch(2))).toMatchObject({ sequence: 0, complete: false });
      await send(reports, epoch(2), [resource("stays"), resource("new")]);
      expect((await reports.list({ clusterId, workload: "web", limit: 1 })).items).toHaveLength(1);
      await expect(reports.complete(epoch(2), 3)).rejects.toMatchObject({ code: "ProtocolViolation" });
      await expect(reports.complete(epoch(1), 4)).rejects.toMatchObject({ code: "Expired" });
      expect(await reports.complete(epoch(2), 2)).toBe(true);
      expect(await uids()).toEqual(["new", "stays"]);
      expect(await uids("api")).toEqual([]);
      expect(await reports.begin(epoch(2))).toMatchObject({ sequence: 2, complete: true });
      expect(await reports.store({ key: epoch(2), sequence: 3, items: [] })).toMatchObject({ isNew: true });
      expect(await reports.cursor(clusterId)).toMatchObject({ sequence: 3, complete: true });
    });

    test("refuse an earlier epoch, and one that belongs to another agent", async () => {
      const { reports, epoch, uids } = await setup(harness);
      await reports.begin(epoch(7));
      await send(reports, epoch(7), [resource("a")]);
      for (const key of [epoch(6), epoch(7, "pod-2")]) {
        await expect(reports.begin(key)).rejects.toMatchObject({ code: "Expired", details: { epoch: 7 } });
        await expect(reports.store({ key, sequence: 2, items: items({ gone: "a" }) })).rejects.toMatchObject({
          code: "Expired",
        });
      }
      await reports.begin(epoch(8, "pod-2"));
      await expect(
        reports.store({ key: epoch(7), sequence: 2, items: items({ gone: "a" }) }),
      ).rejects.toMatchObject({ code: "Expired" });
      expect(await uids()).toEqual(["a"]);
    });

    test("of two agents that report at the same time the later epoch counts, whatever the order", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const clusterId = await addCluster(one, "east");
      const report = async (reports: ReportStore, key: ReportKey): Promise<number> => {
        let stored = 0;
        const all = async (): Promise<void> => {
          await reports.begin(key);
          for (let sequence = 1; sequence <= 20; sequence += 1) {
            const facts = JSON.stringify({ epoch: key.epoch, sequence });
            const parts = ["a", "b", `${key.instance}-${sequence}`].map((uid) => resource(uid, { facts }));
            await reports.store({ key, sequence, items: items(...parts) });
            stored = sequence;
          }
          await reports.complete(key, 21);
        };
        await all().catch((error: unknown) => {
          if (!hasCode(error, "Expired")) throw error;
        });
        return stored;
      };
      const [, newer] = await Promise.all([
        report(one.reports, { clusterId, epoch: 1, instance: "old" }),
        report(other.reports, { clusterId, epoch: 2, instance: "new" }),
      ]);
      expect(newer).toBe(20);
      const rows = (await one.reports.list({ clusterId, workload: "web" })).items;
      expect(rows).toHaveLength(22);
      const last = JSON.stringify({ epoch: 2, sequence: 20 });
      expect(rows.filter(({ uid }) => uid === "a" || uid === "b").map(({ facts }) => facts)).toEqual([
        last,
        last,
      ]);
      expect(rows.some(({ uid }) => uid.startsWith("old"))).toBe(false);
    });

    test("of one batch that two connections send at the same time one is stored", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const clusterId = await addCluster(one, "east");
      const key = { clusterId, epoch: 1, instance: "pod-1" };
      await Promise.all([one.reports.begin(key), other.reports.begin(key)]);
      const batch = { key, sequence: 1, items: items(resource("a")) };
      const results = await Promise.all([one.reports.store(batch), other.reports.store(batch)]);
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    });

    test("keep no more than their limits of one cluster, and say which items were too many", async () => {
      const reportLimits = { maxResources: 2, maxFactsSize: 100 };
      const { reports, store, epoch, uids } = await setup(harness, { reportLimits });
      const long = "x".repeat(80);
      await reports.begin(epoch(1));
      const [first, second, third] = await send(
        reports,
        epoch(1),
        [resource("a"), resource("b"), resource("c")],
        [resource("a", { facts: long }), resource("b", { facts: long }), { gone: "b" }, resource("c")],
        [resource("c", { facts: long }), resource("a")],
      );
      expect(first?.refused).toEqual([{ index: 2, refusal: "too-many-resources" }]);
      expect(second?.refused).toEqual([{ index: 1, refusal: "too-large" }]);
      expect(third?.refused).toEqual([{ index: 0, refusal: "too-large" }]);
      expect(await uids()).toEqual(["a", "c"]);

      // What an epoch takes away leaves room for others.
      await reports.begin(epoch(2));
      await reports.complete(epoch(2), 1);
      const [, roomy] = await send(reports, epoch(2), [], [resource("d", { facts: long }), resource("e")]);
      expect(roomy?.refused).toEqual([]);
      const westId = await addCluster(store, "west");
      await reports.begin({ ...epoch(1), clusterId: westId });
      const batch = { key: { ...epoch(1), clusterId: westId }, sequence: 1, items: items(resource("d")) };
      expect((await reports.store(batch)).refused).toEqual([]);
    });

    test("go with their cluster, and there is none without one", async () => {
      const { reports, store, clusterId, epoch, uids } = await setup(harness);
      await reports.begin(epoch(1));
      await send(reports, epoch(1), [resource("a")]);
      await store.objects.delete(Cluster, "east");
      expect(await uids()).toEqual([]);
      expect(await reports.cursor(clusterId)).toBeUndefined();
      await expect(reports.begin(epoch(2))).rejects.toMatchObject({ code: "NotFound" });
      await expect(reports.store({ key: epoch(1), sequence: 2, items: [] })).rejects.toMatchObject({
        code: "NotFound",
      });
    });
  });
}
