import {
  Cluster,
  matchesFields,
  parseFieldSelector,
  parseLabelSelector,
  User,
  WorkloadInstance,
  type Condition,
} from "@bowline/api";
import { matchesLabels } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { parseRevision } from "../../log/log.ts";
import type { ListQuery } from "../../objects/object-lister.ts";
import type { DesiredWrite } from "../../objects/write-options.ts";
import type { Store } from "../../store.ts";
import { cluster, instance } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

const ready = (status: Condition["status"]): Condition => ({
  type: "Ready",
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: "2026-01-31T12:00:00.000Z",
  observedGeneration: 1,
});

async function storeWithClusters(harness: StoreHarness): Promise<Store> {
  const store = await newStore(harness);
  const created = Array.from({ length: 24 }, (_, index) =>
    store.objects.create(
      Cluster,
      cluster(`c${index}`, {
        labels: {
          ...(index % 2 === 0 ? { env: "prod" } : { env: "test" }),
          ...(index % 3 === 0 ? { team: "" } : {}),
        },
        ...(index % 4 === 0 ? { region: `eu-${index % 8}` } : {}),
      }),
    ),
  );
  await Promise.all(created);
  for (const index of [1, 2, 3, 4]) {
    const status = index % 2 === 0 ? "True" : "False";
    await store.objects.writeStatus(Cluster, `c${index}`, () => ({ conditions: [ready(status)] }));
  }
  return store;
}

async function allPages(store: Store, query: ListQuery, limit: number): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.objects.list(Cluster, { ...query, limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    names.push(...page.items.map(({ metadata }) => metadata.name));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}

export function listingContract(harness: StoreHarness): void {
  describe("listing", () => {
    test("pages through all objects of a kind in the order of names", async () => {
      const store = await storeWithClusters(harness);
      const expected = Array.from({ length: 24 }, (_, index) => `c${index}`).toSorted();
      for (const limit of [1, 5, 23, 24, 100]) expect(await allPages(store, {}, limit)).toEqual(expected);
      const page = await store.objects.list(Cluster, { limit: 24 });
      expect(page).toMatchObject({ total: 24, resourceVersion: "28" });
      expect(page.cursor).toBeUndefined();
      expect(await store.objects.list(User)).toEqual({ items: [], total: 0, resourceVersion: "28" });
    });

    test("agrees with the API's own definition of every selector, page by page", async () => {
      const store = await storeWithClusters(harness);
      const { items: all } = await store.objects.list(Cluster, { limit: 1000 });
      const labelSelectors = [
        "",
        "env=prod",
        "env!=prod",
        "env in (prod,test),team",
        "!team",
        "team=",
        "env notin (x)",
      ];
      const fieldSelectors = [
        "",
        "spec.region=eu-4",
        "spec.region=",
        "spec.region!=eu-0",
        "status.conditions.Ready=True",
        "status.conditions.Ready=Unknown",
        "status.conditions.Ready!=Unknown,spec.provider=existing",
        "metadata.name=c3",
        "metadata.name!=c3",
      ];
      for (const labelText of labelSelectors) {
        for (const fieldText of fieldSelectors) {
          const labels = parseLabelSelector(labelText);
          const fields = parseFieldSelector(Cluster, fieldText);
          const expected = all
            .filter((item) => matchesLabels(labels, item.metadata.labels) && matchesFields(fields, item))
            .map(({ metadata }) => metadata.name);
          const found = await allPages(store, { labels, fields }, 4);
          expect(found, `${labelText} ${fieldText}`).toEqual(expected);
          const { total } = await store.objects.list(Cluster, { labels, fields, limit: 1 });
          expect(total, `${labelText} ${fieldText}`).toBe(expected.length);
        }
      }
    });

    test("finds values in lists, very long values, and follows every change of them", async () => {
      const { objects } = await newStore(harness);
      const select = async (selector: string): Promise<string[]> => {
        const fields = parseFieldSelector(WorkloadInstance, selector);
        const { items, total } = await objects.list(WorkloadInstance, { fields });
        expect(total).toBe(items.length);
        return items.map(({ metadata }) => metadata.name);
      };
      await objects.create(WorkloadInstance, instance("a", "web", ["c1", "c2"]));
      await objects.create(WorkloadInstance, instance("b", "web", ["c2"]));
      expect(await select("spec.placement.clusters=c2")).toEqual(["a", "b"]);
      await objects.write(WorkloadInstance, "a", () => instance("a", "web", ["c1", "c3"]));
      expect(await select("spec.placement.clusters=c2")).toEqual(["b"]);
      expect(await select("spec.placement.clusters=c3")).toEqual(["a"]);
      await objects.delete(WorkloadInstance, "b");
      expect(await select("spec.placement.clusters=c2")).toEqual([]);
      const long = "d".repeat(4_000);
      await objects.create(WorkloadInstance, instance("long", long, ["c1"]));
      expect(await select(`spec.definition=${"d".repeat(900)}`)).toEqual([]);
      const [field] = parseFieldSelector(WorkloadInstance, "spec.definition=x");
      if (field === undefined) throw new Error("no field");
      const found = await objects.list(WorkloadInstance, { fields: [{ ...field, value: long }] });
      expect(found).toMatchObject({ total: 1, items: [{ metadata: { name: "long" } }] });
    });

    test("makes pages of large objects shorter, and loses none", async () => {
      const store = await newStore(harness);
      const annotations = Object.fromEntries(
        Array.from({ length: 64 }, (_, index) => [`a${index}`, "x".repeat(32_768)]),
      );
      const names = Array.from({ length: 10 }, (_, index) => `c${String(index).padStart(2, "0")}`);
      for (const name of names) await store.objects.create(Cluster, cluster(name, { annotations }));
      const first = await store.objects.listJson(Cluster, { limit: 1_000 });
      expect(first).toMatchObject({ total: 10, cursor: expect.any(String) });
      expect(first.items.join("").length).toBeLessThan(20 * 1024 * 1024);
      expect(await allPages(store, {}, 1_000)).toEqual(names);
      const labels = parseLabelSelector("!none");
      expect(await allPages(store, { labels }, 1_000)).toEqual(names);
    });

    test("hands out the same objects and pages as text", async () => {
      const store = await storeWithClusters(harness);
      const { objects } = store;
      const query = { labels: parseLabelSelector("env=prod"), limit: 5 };
      for (const asked of [{ limit: 5 }, query]) {
        const page = await objects.list(Cluster, asked);
        const texts = await objects.listJson(Cluster, asked);
        expect({ ...texts, items: texts.items.map((json) => JSON.parse(json)) }).toEqual(page);
        expect(await objects.listJson(Cluster, { ...asked, cursor: texts.cursor })).toMatchObject({
          items: { length: 5 },
          total: page.total,
        });
      }
      const found = await objects.getJson(Cluster, "c1");
      const object = await objects.get(Cluster, "c1");
      expect(JSON.parse(found?.json ?? "")).toEqual(object);
      expect(found?.resourceVersion).toBe(object?.metadata.resourceVersion);
      expect(await objects.getJson(Cluster, "none")).toBeUndefined();
    });

    test("refuses cursors of other queries, and whatever is no cursor", async () => {
      const store = await storeWithClusters(harness);
      const { cursor = "" } = await store.objects.list(Cluster, { limit: 2 });
      const labels = parseLabelSelector("env=prod");
      const forged = Buffer.from('[null,-1,"x"]').toString("base64url");
      const [fingerprint, total, revision] = JSON.parse(Buffer.from(cursor, "base64url").toString());
      const changed = [
        [fingerprint, total, revision, "a\0b"],
        [fingerprint, total, revision, "\ud800"],
        [fingerprint, total, Number.MAX_SAFE_INTEGER, "a"],
      ].map((values) => Buffer.from(JSON.stringify(values)).toString("base64url"));
      const refused = [
        store.objects.list(Cluster, { cursor, labels }),
        store.objects.list(User, { cursor }),
        store.objects.list(Cluster, { cursor: `${cursor}x` }),
        store.objects.list(Cluster, { cursor: "" }),
        store.objects.list(Cluster, { cursor: forged }),
        ...changed.map((text) => store.objects.list(Cluster, { cursor: text })),
        store.objects.list(Cluster, { cursor: "x".repeat(100_000) }),
        store.objects.list(Cluster, { limit: 0 }),
        store.objects.list(Cluster, { limit: 1e9 }),
      ];
      for (const outcome of await Promise.allSettled(refused)) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { code: "InvalidArgument" } });
      }
    });

    test("lists the names alone of what a selector means, however many", async () => {
      const { objects } = await storeWithClusters(harness);
      const everything = await objects.list(Cluster, { limit: 1_000 });
      expect(await objects.listNames(Cluster)).toEqual(everything.items.map(({ metadata }) => metadata.name));
      const fields = parseFieldSelector(Cluster, "spec.region=eu-4");
      const some = everything.items.filter(({ spec }) => spec.region === "eu-4");
      expect(some.length).toBeGreaterThan(0);
      expect(await objects.listNames(Cluster, { fields })).toEqual(some.map(({ metadata }) => metadata.name));
      expect(await objects.listNames(User)).toEqual([]);
    });

    test("lists the keys of several kinds in pages", async () => {
      const { objects } = await storeWithClusters(harness);
      await objects.create(WorkloadInstance, instance("web", "web", ["c1"]));
      const kinds = [Cluster, WorkloadInstance];
      const names: string[] = [];
      let page = await objects.listKeys({ kinds, limit: 10 });
      for (; page.length > 0; page = await objects.listKeys({ kinds, limit: 10, after: page.at(-1) })) {
        names.push(...page.map(({ kind, name }) => `${kind}/${name}`));
      }
      expect(names).toHaveLength(25);
      expect(names.at(-1)).toBe("WorkloadInstance/web");
      expect(await objects.listKeys({ kinds: [], limit: 10 })).toEqual([]);
    });

    test("every page carries the resourceVersion of the first, so that a watch misses nothing", async () => {
      const store = await storeWithClusters(harness);
      const first = await store.objects.list(Cluster, { limit: 20 });
      await store.objects.delete(Cluster, "c0");
      const second = await store.objects.list(Cluster, { limit: 20, cursor: first.cursor });
      expect(second.resourceVersion).toBe(first.resourceVersion);
      const { items } = await store.changes.read({ after: parseRevision(second.resourceVersion) });
      expect(items).toMatchObject([{ type: "DELETED", name: "c0" }]);
    });

    test.runIf(harness.canReopen)(
      "indexes anew what is there when a kind gets another field to filter by",
      async () => {
        const database = await harness.newDatabase();
        const unfiltered = { ...Cluster, filterable: Cluster.filterable.slice(0, 1), references: [] };
        const before = await openTestStore(database, { kinds: [unfiltered] });
        await before.objects.create(unfiltered, cluster("a", { region: "eu-1", labels: { x: "y" } }));
        await before.close();
        const { objects } = await openTestStore(database);
        const fields = parseFieldSelector(Cluster, "spec.region=eu-1");
        expect(await objects.list(Cluster, { fields })).toMatchObject({
          total: 1,
          items: [{ metadata: { name: "a" } }],
        });
        const labels = parseLabelSelector("x=y");
        expect(await objects.list(Cluster, { labels })).toMatchObject({ total: 1 });
        expect(await objects.list(Cluster)).toMatchObject({ total: 1 });
      },
    );

    test("reads an object that is older than a field as if it had been written with its default", async () => {
      const { objects } = await newStore(harness);
      const { object } = await objects.create(WorkloadInstance, olderInstance("web"));
      expect(object.spec).not.toHaveProperty("drift");
      const found = await objects.get(WorkloadInstance, "web");
      expect(found?.spec).toEqual(instance("web", "web", ["c1"]).spec);
      expect((await objects.list(WorkloadInstance)).items).toEqual([found]);
      const same = await objects.write(WorkloadInstance, "web", (current) => {
        expect(current).toEqual(found);
        return instance("web", "web", ["c1"]);
      });
      expect(same.outcome).toBe("unchanged");
    });

    test.runIf(harness.canReopen)("writes defaults into older objects when it is opened", async () => {
      const database = await harness.newDatabase();
      const older = { ...WorkloadInstance, filterable: [] };
      const before = await openTestStore(database, { kinds: [older] });
      await before.objects.create(older, olderInstance("web"));
      const head = await before.changes.head();
      await before.close();
      const { objects, changes } = await openTestStore(database);
      const found = await objects.getJson(WorkloadInstance, "web");
      expect(JSON.parse(found?.json ?? "")).toMatchObject({ spec: { drift: "correct" } });
      expect(await changes.head()).toBe(head);
    });
  });
}

/** As it was written by a version that did not know how to correct drift. */
function olderInstance(name: string): DesiredWrite<typeof WorkloadInstance> {
  const made = instance(name, "web", ["c1"]);
  for (const field of ["drift", "pruneLimit", "ignore"]) Reflect.deleteProperty(made.spec, field);
  return made;
}
