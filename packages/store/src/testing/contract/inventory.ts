import { Cluster, WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { Store } from "../../store.ts";
import type { IntendedObject } from "../../workloads/intend-objects.ts";
import type { ClusterObject, InventoryKey } from "../../workloads/inventory-item.ts";
import { cluster, definition, instance, placement } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

/** ConfigMaps of these names, as they are rendered. */
export function configMaps(...names: string[]): IntendedObject[] {
  return names.map((name) => ({
    group: "",
    kind: "ConfigMap",
    namespace: "shop",
    name,
    version: "v1",
    stage: 3,
  }));
}

function withUids(objects: readonly IntendedObject[], appliedAtMs = 5) {
  return objects.map((object) => ({ ...object, uid: `uid-${object.name}`, appliedAtMs }));
}

const namesOf = (objects: readonly ClusterObject[]): string[] => objects.map(({ name }) => name).toSorted();

/** Ids of what the tests are about. */
type Places = Readonly<Record<"definitionId" | "east" | "west" | "web" | "api" | "first" | "second", string>>;

/** Two instances of a definition with two revisions, and two clusters. */
export async function addPlaces({ objects, revisions }: Store): Promise<Places> {
  const idOf = async (
    written: Promise<{ readonly object: { readonly metadata: { readonly id: string } } }>,
  ) => (await written).object.metadata.id;
  const definitionId = await idOf(objects.create(WorkloadDefinition, definition("shop")));
  const east = await idOf(objects.create(Cluster, cluster("east")));
  const west = await idOf(objects.create(Cluster, cluster("west")));
  const web = await idOf(objects.create(WorkloadInstance, instance("web", "shop", ["east", "west"])));
  const api = await idOf(objects.create(WorkloadInstance, instance("api", "shop", ["east", "west"])));
  const { id: first } = await revisions.put({ definitionId, content: "first", objects: 1 });
  const { id: second } = await revisions.put({ definitionId, content: "second", objects: 1 });
  return { definitionId, east, west, web, api, first, second };
}

async function setup(harness: StoreHarness) {
  const store = await newStore(harness);
  const places = await addPlaces(store);
  const key: InventoryKey = { instanceId: places.web, clusterId: places.east };
  const others: InventoryKey = { instanceId: places.api, clusterId: places.east };
  return { ...places, store, inventory: store.inventory, key, others };
}

export function inventoryContract(harness: StoreHarness): void {
  describe("inventory", () => {
    test("claims objects before they are applied, and knows them by their uid afterwards", async () => {
      const { inventory, key, web, first, second } = await setup(harness);
      const intended = await inventory.intend(key, configMaps("a", "b"), { revision: first });
      const item = { ...key, ...configMaps("a")[0], state: "intended", revision: first };
      expect(intended).toMatchObject({ outcome: "intended", items: [{ name: "a" }, { name: "b" }] });
      expect((await inventory.list(key)).items[0]).toEqual(item);
      expect(await inventory.applied(key, withUids(configMaps("a", "b")), { revision: first })).toEqual([]);
      const applied = { ...item, state: "applied", uid: "uid-a", appliedAtMs: 5 };
      expect((await inventory.list(key)).items[0]).toEqual(applied);

      const same = await inventory.intend(key, configMaps("a"), { revision: first });
      expect(same).toEqual({ outcome: "intended", items: [applied] });
      const next = await inventory.intend(key, configMaps("a"), { revision: second });
      expect(next).toEqual({
        outcome: "intended",
        items: [{ ...applied, state: "intended", revision: second }],
      });
      await inventory.applied(key, withUids(configMaps("a", "b"), 9), { revision: second });
      await inventory.applied(key, withUids(configMaps("a"), 12), { revision: second });
      const [a, b] = (await inventory.list(key)).items;
      expect(a).toEqual({ ...applied, revision: second, appliedAtMs: 9 });
      expect(b).toMatchObject({ name: "b", state: "applied", revision: second, instanceId: web });
    });

    test("knows what was sent and what is ours, so that the same content in another revision needs no request", async () => {
      const { inventory, key, first, second } = await setup(harness);
      const [object] = configMaps("a").map((one) => ({ ...one, content: "c1" }));
      if (object === undefined) throw new Error("there is one");
      await inventory.intend(key, [object], { revision: first });
      expect((await inventory.list(key)).items[0]?.content).toBeUndefined();
      const sent = { ...object, uid: "uid-a", digest: "d1", resourceVersion: "7", appliedAtMs: 5 };
      await inventory.applied(key, [sent], { revision: first });
      const item = { ...key, ...sent, state: "applied", revision: first };
      expect((await inventory.list(key)).items).toEqual([item]);

      const same = await inventory.intend(key, [{ ...object, stage: 4 }], { revision: second });
      expect(same).toEqual({ outcome: "intended", items: [{ ...item, stage: 4, revision: second }] });
      // Somebody has taken a field and it was set right: the object is what it was, and as old as it was.
      await inventory.applied(key, [{ ...sent, digest: "d2", appliedAtMs: 9 }], { revision: second });
      expect((await inventory.list(key)).items[0]).toMatchObject({ digest: "d2", appliedAtMs: 5 });

      const { content: _, ...unknown } = { ...item, stage: 3, revision: second, digest: "d2" };
      const next = await inventory.intend(key, [{ ...object, content: "c2" }], { revision: second });
      expect(next).toEqual({ outcome: "intended", items: [{ ...unknown, state: "intended" }] });
      // A request with c2 may have come through, so c1 is not taken for what is in the cluster.
      const back = await inventory.intend(key, [object], { revision: first });
      expect(back).toMatchObject({ outcome: "intended", items: [{ state: "intended", revision: first }] });
    });

    test("knows which hooks have run and how they ended, so that none is made twice", async () => {
      const { inventory, key, others, first, second } = await setup(harness);
      const hooks = configMaps("a", "b").map((one) => ({ ...one, content: "c1", hook: "pre" as const }));
      await inventory.intend(key, hooks, { revision: first });
      const [made] = hooks.map((one) => ({ ...one, uid: "uid-a", digest: "d1", appliedAtMs: 5 }));
      if (made === undefined) throw new Error("there is one");
      await inventory.applied(key, [made], { revision: first });
      const end = async (name: string, how: "succeeded" | "failed", owner = key) =>
        inventory.ended(owner, [{ ...configMaps(name)[0], ...made, name, end: how }]);
      expect(namesOf(await end("a", "failed", others))).toEqual(["a"]);
      expect(await end("a", "succeeded")).toEqual([]);
      await end("a", "failed");
      const item = { ...key, ...made, state: "applied", revision: first, hookEnd: "succeeded" };
      expect((await inventory.list(key)).items[0]).toEqual(item);

      // It stays what it was when its revision has gone and comes back, with whatever content; one that was never made is new.
      await inventory.kept(key, hooks);
      const other = hooks.map((one) => ({ ...one, content: "c2" }));
      expect(await inventory.intend(key, other, { revision: second })).toMatchObject({
        outcome: "intended",
        items: [
          { ...item, revision: second },
          { name: "b", state: "intended", hook: "pre" },
        ],
      });
      await inventory.intend(key, configMaps("plain"), { revision: first });
      await end("plain", "failed");
      expect((await inventory.find(key.clusterId, configMaps("plain")))[0]).not.toHaveProperty("hookEnd");
    });

    test("refuses what another instance owns, by its name, and then writes nothing", async () => {
      const { inventory, key, others, web, api, west, first } = await setup(harness);
      await inventory.intend(key, configMaps("a", "b"), { revision: first });
      const refused = await inventory.intend(others, configMaps("a", "b", "c"), { revision: first });
      expect(refused).toMatchObject({
        outcome: "refused",
        owned: [
          { name: "a", instanceId: web, instanceName: "web" },
          { name: "b", instanceId: web, instanceName: "web" },
        ],
      });
      expect((await inventory.list(others)).items).toEqual([]);
      expect(await inventory.find(key.clusterId, configMaps("a", "c"))).toMatchObject([
        { name: "a", instanceName: "web", state: "intended" },
      ]);
      const elsewhere = { instanceId: api, clusterId: west };
      expect(await inventory.intend(elsewhere, configMaps("a"), { revision: first })).toMatchObject({
        outcome: "intended",
      });
      const otherKind = configMaps("a").map((object) => ({ ...object, kind: "Secret" }));
      expect(await inventory.intend(others, otherKind, { revision: first })).toMatchObject({
        outcome: "intended",
      });
    });

    test("moves an object once: who takes it from others keeps it, until it lets go", async () => {
      const { inventory, key, others, first } = await setup(harness);
      const [objects, adopt] = [configMaps("a"), configMaps("a")];
      await inventory.intend(key, objects, { revision: first });
      expect((await inventory.intend(others, objects, { revision: first, adopt })).outcome).toBe("intended");
      const back = () => inventory.intend(key, objects, { revision: first, adopt });
      expect(await back()).toMatchObject({ outcome: "refused", owned: [{ name: "a", instanceName: "api" }] });
      // A claim that says nothing of it leaves it as it is.
      await inventory.intend(others, objects, { revision: first });
      expect((await back()).outcome).toBe("refused");
      await inventory.intend(others, objects, { revision: first, adopt: [] });
      expect((await back()).outcome).toBe("intended");
      expect((await inventory.intend(others, objects, { revision: first, adopt })).outcome).toBe("refused");
      await inventory.kept(key, objects);
      expect((await inventory.intend(others, objects, { revision: first, adopt })).outcome).toBe("intended");
    });

    test("moves an object to a new owner that names it, with its uid", async () => {
      const { inventory, key, others, api, first, second } = await setup(harness);
      await inventory.intend(key, configMaps("a", "b"), { revision: first });
      await inventory.applied(key, withUids(configMaps("a", "b")), { revision: first });
      const adopt = configMaps("a", "c");
      const half = await inventory.intend(others, configMaps("a", "b"), { revision: second, adopt });
      expect(half).toMatchObject({ outcome: "refused", owned: [{ name: "b", instanceName: "web" }] });
      expect(namesOf((await inventory.list(key)).items)).toEqual(["a", "b"]);
      await inventory.intend(others, configMaps("a", "c"), { revision: second, adopt });
      expect((await inventory.list(others)).items).toMatchObject([
        { name: "a", instanceId: api, uid: "uid-a", state: "intended", revision: second },
        { name: "c", instanceId: api, state: "intended" },
      ]);
      expect(namesOf((await inventory.list(key)).items)).toEqual(["b"]);
      // The owner from before hears of it by its next write, and changes nothing.
      const late = await inventory.applied(key, withUids(configMaps("a", "b")), { revision: second });
      expect(namesOf(late)).toEqual(["a"]);
      expect(namesOf(await inventory.gone(key, configMaps("a")))).toEqual(["a"]);
      expect((await inventory.list(others)).items[0]).toMatchObject({ state: "intended", revision: second });
    });

    test("follows objects until they are gone, and frees their names", async () => {
      const { inventory, key, others, first } = await setup(harness);
      await inventory.intend(key, configMaps("a", "b", "c"), { revision: first });
      await inventory.applied(key, withUids(configMaps("a", "b", "c")), { revision: first });
      expect(await inventory.pruning(key, configMaps("a", "b"))).toEqual([]);
      expect(await inventory.kept(key, configMaps("c"))).toEqual([]);
      expect((await inventory.list(key)).items).toMatchObject([
        { name: "a", state: "pruning", uid: "uid-a" },
        { name: "b", state: "pruning" },
        { name: "c", state: "kept", uid: "uid-c" },
      ]);
      const back = await inventory.intend(key, configMaps("b", "c"), { revision: first });
      expect(back).toMatchObject({ items: [{ uid: "uid-b", state: "intended" }, { uid: "uid-c" }] });
      expect(await inventory.gone(key, configMaps("a"))).toEqual([]);
      // Again, where it was not known whether the first time succeeded.
      expect(namesOf(await inventory.gone(key, configMaps("a")))).toEqual(["a"]);
      expect(await inventory.intend(others, configMaps("a"), { revision: first })).toMatchObject({
        outcome: "intended",
      });
    });

    test("is read in pages, counted by cluster, and asked who owns what", async () => {
      const { inventory, key, web, api, east, west, first } = await setup(harness);
      const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
      const unnamed = { group: "", kind: "Namespace", namespace: "", name: "n9", version: "v1", stage: 0 };
      await inventory.intend(key, [...configMaps(...names), unnamed], { revision: first });
      await inventory.intend({ ...key, clusterId: west }, configMaps(...names), { revision: first });
      await inventory.applied(key, withUids(configMaps("n1", "n2")), { revision: first });
      await inventory.kept(key, configMaps("n3"));

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await inventory.list(key, { limit: 3, cursor });
        expect(page.items.length).toBeLessThanOrEqual(3);
        seen.push(...page.items.map(({ name }) => name));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual([...names, "n9"]);

      const counts = { intended: 0, applied: 0, pruning: 0, kept: 0 };
      const first1 = await inventory.clusters(web, { limit: 1 });
      const rest = await inventory.clusters(web, { limit: 1, cursor: first1.cursor });
      expect([...first1.items, ...rest.items]).toEqual([
        { clusterId: east, clusterName: "east", counts: { ...counts, intended: 5, applied: 2, kept: 1 } },
        { clusterId: west, clusterName: "west", counts: { ...counts, intended: 7 } },
      ]);
      expect(rest.cursor).toBeUndefined();
      expect(await inventory.clusters(api)).toEqual({ items: [] });
      expect(await inventory.find(west, [unnamed])).toEqual([]);
      expect(await inventory.find(east, [unnamed])).toMatchObject([{ instanceName: "web", namespace: "" }]);
      await expect(inventory.list(key, { cursor: first1.cursor })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
      await expect(inventory.list(key, { limit: 1_001 })).rejects.toMatchObject({ code: "InvalidArgument" });
    });

    test("refuses an object that is named twice, and more of them than it takes at once", async () => {
      const { inventory, key, first } = await setup(harness);
      const refused = { code: "InvalidArgument" };
      const twice = inventory.intend(key, configMaps("a", "a"), { revision: first });
      await expect(twice).rejects.toMatchObject({ ...refused, message: expect.stringContaining("twice") });
      const many = configMaps(...Array.from({ length: 10_001 }, (_, index) => `n${index}`));
      await expect(inventory.gone(key, many)).rejects.toMatchObject(refused);
      expect(await inventory.intend(key, [], { revision: first })).toEqual({
        outcome: "intended",
        items: [],
      });
    });

    test("takes no write of a worker whose lease was granted to another", async () => {
      const { store, inventory, key, first, second } = await setup(harness);
      const lease = "WorkloadInstance/web";
      const grant = async () => (await store.leases.tryAcquire(lease, "one", 60_000))?.token ?? 0;
      const fence = { key: lease, token: await grant() };
      await inventory.intend(key, configMaps("a", "b"), { revision: first, fence });
      await inventory.applied(key, withUids(configMaps("a")), { revision: first, fence });
      const before = await inventory.list(key);
      const next = { key: lease, token: await grant() };
      const writes = await Promise.allSettled([
        inventory.intend(key, configMaps("c"), { revision: second, fence }),
        inventory.applied(key, withUids(configMaps("b")), { revision: first, fence }),
        inventory.pruning(key, configMaps("a"), { fence }),
        inventory.kept(key, configMaps("a"), { fence }),
        inventory.gone(key, configMaps("a"), { fence }),
      ]);
      for (const write of writes) expect(write).toMatchObject({ reason: { code: "LeaseLost" } });
      expect(await inventory.list(key)).toEqual(before);
      await inventory.gone(key, configMaps("a"), { fence: next });
      expect(namesOf((await inventory.list(key)).items)).toEqual(["b"]);
    });

    test("has no rows of an instance or a cluster that is gone, and takes none", async () => {
      const { store, inventory, key, others, east, west, web, first } = await setup(harness);
      await inventory.intend(key, configMaps("a"), { revision: first });
      await inventory.intend({ ...key, clusterId: west }, configMaps("a"), { revision: first });
      await inventory.intend(others, configMaps("b"), { revision: first });
      await store.objects.delete(WorkloadInstance, "web");
      expect((await inventory.clusters(web)).items).toEqual([]);
      expect(await inventory.find(east, configMaps("a", "b"))).toMatchObject([{ instanceName: "api" }]);
      expect(await inventory.find(west, configMaps("a"))).toEqual([]);
      const late = inventory.intend(key, configMaps("c"), { revision: first });
      await expect(late).rejects.toMatchObject({ code: "NotFound", message: expect.stringContaining(web) });
      expect(namesOf(await inventory.applied(key, withUids(configMaps("a")), { revision: first }))).toEqual([
        "a",
      ]);

      await store.objects.delete(Cluster, "east", { cascade: true });
      expect((await inventory.list(others)).items).toEqual([]);
      const nowhere = inventory.intend(others, configMaps("b"), { revision: first });
      await expect(nowhere).rejects.toMatchObject({
        code: "NotFound",
        message: expect.stringContaining(east),
      });
    });

    test("keeps the revisions it names, also of a definition that is gone", async () => {
      const { store, inventory, key, definitionId, first, second } = await setup(harness);
      await inventory.intend(key, configMaps("a"), { revision: first });
      for (let count = 0; count < 12; count += 1) {
        await store.revisions.put({ definitionId, content: `later ${count}`, objects: 1 });
      }
      expect(await store.retention.prune({})).toMatchObject({ revisions: 3, blobs: 3 });
      expect(await store.revisions.content(first)).toBe("first");
      expect((await store.revisions.list(definitionId)).items.at(-1)).toMatchObject({ id: first });
      const unknown = inventory.intend(key, configMaps("b"), { revision: second });
      await expect(unknown).rejects.toMatchObject({
        code: "NotFound",
        message: expect.stringContaining(second),
      });
      await store.objects.delete(WorkloadInstance, "api");
      await store.objects.write(WorkloadInstance, "web", () => instance("web", "other", ["east", "west"]));
      await store.objects.delete(WorkloadDefinition, "shop");
      expect(await store.retention.prune({})).toMatchObject({ revisions: 10, blobs: 10 });
      expect((await store.revisions.list(definitionId)).items).toMatchObject([{ id: first }]);
      expect(await store.revisions.content(first)).toBe("first");
      await inventory.gone(key, configMaps("a"));
      expect(await store.retention.prune({})).toMatchObject({ revisions: 1, blobs: 1 });
    });

    test("keeps the revisions that instances and placements name, as long as they do", async () => {
      const { store, definitionId, first, second } = await setup(harness);
      const put = async (content: string): Promise<string> =>
        (await store.revisions.put({ definitionId, content, objects: 1 })).id;
      const [third, fourth, fifth] = [await put("third"), await put("fourth"), await put("fifth")];
      for (let count = 0; count < 10; count += 1) await put(`later ${count}`);
      const web = instance("web", "shop", ["east", "west"]);
      await store.objects.write(WorkloadInstance, "web", () => ({
        ...web,
        spec: { ...web.spec, revision: { pin: first, rejected: [] } },
      }));
      const counts = { wave: 1, waveCount: 1, underWay: [], failed: [] };
      const progress = { phase: "Progressing" as const, ...counts, change: second, revision: third };
      await store.objects.writeStatus(WorkloadInstance, "api", ({ status }) => ({
        ...status,
        rollout: { ...progress, from: second },
      }));
      const placed = placement("web", "east", "shop");
      await store.objects.create(WorkloadPlacement, {
        ...placed,
        spec: { ...placed.spec, revision: fourth },
      });
      expect(await store.retention.prune({})).toMatchObject({ revisions: 1, blobs: 1 });
      expect(await store.revisions.content(fifth)).toBeUndefined();
      for (const id of [first, second, third, fourth]) {
        expect(await store.revisions.content(id)).toBeDefined();
        expect(await store.revisions.get(definitionId, id)).toBeDefined();
      }
      await store.objects.write(WorkloadInstance, "web", () => web);
      await store.objects.writeStatus(WorkloadInstance, "api", ({ status }) => ({
        ...status,
        rollout: progress,
      }));
      expect(await store.retention.prune({})).toMatchObject({ revisions: 2, blobs: 2 });
      expect(await store.revisions.content(third)).toBe("third");
      expect(await store.revisions.content(fourth)).toBe("fourth");
    });

    test("never names a revision whose content the retention deletes at the same moment", async () => {
      const database = await harness.newDatabase();
      const store = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : store;
      const { definitionId, east, web } = await addPlaces(store);
      const key = { instanceId: web, clusterId: east };
      for (let round = 0; round < 12; round += 1) {
        const ids: string[] = [];
        for (let count = 0; count < 11; count += 1) {
          const content = `round ${round}, content ${count}`;
          ids.push((await store.revisions.put({ definitionId, content, objects: 1 })).id);
        }
        const [oldest = ""] = ids;
        const object = configMaps(`n${round}`);
        const [claimed] = await Promise.allSettled([
          store.inventory.intend(key, object, { revision: oldest }),
          other.retention.prune({}),
        ]);
        const isRefused = claimed.status === "rejected";
        expect(isRefused ? claimed.reason : { code: "NotFound" }).toMatchObject({ code: "NotFound" });
        const isThere = (await store.revisions.content(oldest)) !== undefined;
        const isListed = (await store.revisions.list(definitionId)).items.some(({ id }) => id === oldest);
        expect({ isThere, isListed }).toEqual({ isThere: !isRefused, isListed: !isRefused });
        expect(await store.inventory.find(east, object)).toHaveLength(isRefused ? 0 : 1);
      }
    });

    test("gives each object to one of those that want it at the same moment", async () => {
      const database = await harness.newDatabase();
      const stores = [await openTestStore(database)];
      if (harness.canShare) stores.push(await openTestStore(database));
      const [store = await openTestStore(database)] = stores;
      const { east, first } = await addPlaces(store);
      const instances = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const { object } = await store.objects.create(WorkloadInstance, instance(`i${index}`, "shop", []));
          return { id: object.metadata.id, name: object.metadata.name, index };
        }),
      );
      const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
      const outcomes = await Promise.all(
        instances.map(async ({ id, name, index }) => {
          const wanted = index % 2 === 0 ? names : names.toReversed();
          const { inventory } = stores[index % stores.length] ?? store;
          const key = { instanceId: id, clusterId: east };
          return { name, result: await inventory.intend(key, configMaps(...wanted), { revision: first }) };
        }),
      );
      const winners = outcomes.filter(({ result }) => result.outcome === "intended");
      expect(winners).toHaveLength(1);
      for (const { result } of outcomes) {
        if (result.outcome === "intended") continue;
        expect(namesOf(result.owned)).toEqual(names.toSorted());
        expect(new Set(result.owned.map(({ instanceName }) => instanceName))).toEqual(
          new Set([winners[0]?.name]),
        );
      }
    });
  });
}
