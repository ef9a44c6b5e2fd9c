import { Cluster } from "@bowline/api";
import { resourceToken, type ResourceRecord } from "@bowline/providers";
import { describe, expect, test } from "vitest";

import type { DesiredWrite } from "../../objects/write-options.ts";
import { deprovision } from "../../objects/operations/preconditions.ts";
import type { Store } from "../../store.ts";
import { cluster } from "../sample-objects.ts";
import { newStore, openTestStore, testKey, type StoreHarness } from "../store-harness.ts";

/** Something that a provider has made, as it is remembered. */
export function resourceRecord(step: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    step,
    type: "shop:disk",
    attempt: 1,
    token: resourceToken("any", step, 1),
    intentAtMs: 1_000,
    state: "intended",
    attributes: {},
    ...more,
  };
}

type Spec = DesiredWrite<typeof Cluster>["spec"];

/** Resolves to the id of a Cluster that something is made for. */
export async function addMadeCluster(
  { objects }: Store,
  name: string,
  spec: Partial<Spec> = {},
  finalizers: readonly string[] = [deprovision],
): Promise<string> {
  const desired = { ...cluster(name), finalizers };
  const made = { ...desired, spec: { ...desired.spec, ...spec } };
  return (await objects.create(Cluster, made)).object.metadata.id;
}

export function providerResourcesContract(harness: StoreHarness): void {
  describe("resources of providers", () => {
    test("are as they were put, in the order in which they were intended first", async () => {
      const store = await newStore(harness);
      const records = store.resources.of(await addMadeCluster(store, "a"));
      const others = store.resources.of(await addMadeCluster(store, "b"));
      const network = resourceRecord("network", { region: "eu-1" });
      const disk = resourceRecord("disk", {
        id: "disk-1",
        state: "created",
        attributes: { size: [1, "GiB"] },
      });
      for (const each of [network, disk]) await records.put(each);
      await others.put(resourceRecord("network"));
      expect(await records.list()).toEqual([network, disk]);
      const seen = { ...network, id: "net-1", state: "ready" as const, seenAtMs: 5_000, missedAtMs: 6_000 };
      await records.put(seen);
      expect(await records.list()).toEqual([seen, disk]);
      const { missedAtMs: _, ...found } = seen;
      await records.put(found);
      expect(await records.list()).toEqual([found, disk]);
      expect(await others.list()).toHaveLength(1);
    });

    test("are counted by cluster and state", async () => {
      const store = await newStore(harness);
      const id = await addMadeCluster(store, "a");
      const records = store.resources.of(id);
      for (const step of ["a", "b"]) await records.put(resourceRecord(step));
      await records.put(resourceRecord("c", { state: "gone" }));
      const counts = (await store.resources.counts()).toSorted((a, b) => a.count - b.count);
      expect(counts).toEqual([
        { clusterId: id, state: "gone", count: 1 },
        { clusterId: id, state: "intended", count: 2 },
      ]);
    });

    test("are refused before the object of their cluster waits for them, and after it is gone", async () => {
      const store = await newStore(harness);
      const records = store.resources.of(await addMadeCluster(store, "a", {}, []));
      await expect(records.put(resourceRecord("disk"))).rejects.toMatchObject({ code: "Conflict" });
      await store.objects.delete(Cluster, "a");
      await expect(records.put(resourceRecord("disk"))).rejects.toMatchObject({ code: "NotFound" });
      expect(await records.list()).toEqual([]);
    });

    test("keep the object of their cluster until they are gone, and then go with it", async () => {
      const store = await newStore(harness);
      const id = await addMadeCluster(store, "a");
      const records = store.resources.of(id);
      await records.put(resourceRecord("disk", { id: "disk-1", state: "deleting" }));
      await store.objects.delete(Cluster, "a");
      const letGo = () => store.objects.writeFinalizers(Cluster, "a", () => []);
      await expect(letGo()).rejects.toMatchObject({ code: "Conflict", message: /still there/u });
      expect(await store.objects.get(Cluster, "a")).toBeDefined();
      await records.put(resourceRecord("disk", { state: "gone" }));
      expect(await letGo()).toMatchObject({ outcome: "deleted" });
      expect(await records.list()).toEqual([]);
      expect(await store.resources.counts()).toEqual([]);
    });

    test("are forgotten with a cluster that is to stay where it is", async () => {
      const store = await newStore(harness);
      const id = await addMadeCluster(store, "a", { deletionPolicy: "orphan" });
      await store.resources.of(id).put(resourceRecord("disk", { id: "disk-1", state: "ready" }));
      await store.objects.delete(Cluster, "a");
      const gone = await store.objects.writeFinalizers(Cluster, "a", () => []);
      expect(gone).toMatchObject({ outcome: "deleted" });
      expect(await store.resources.counts()).toEqual([]);
    });

    test("may be changed only by whoever holds the lease", async () => {
      const store = await newStore(harness);
      const id = await addMadeCluster(store, "a");
      const key = "Cluster/a";
      const grant = async () => (await store.leases.tryAcquire(key, "one", 60_000))?.token ?? 0;
      const records = store.resources.of(id, { fence: { key, token: await grant() } });
      await records.put(resourceRecord("disk"));
      const next = store.resources.of(id, { fence: { key, token: await grant() } });
      const late = records.put(resourceRecord("disk", { id: "disk-1", state: "created" }));
      await expect(late).rejects.toMatchObject({ code: "LeaseLost" });
      expect(await next.list()).toMatchObject([{ state: "intended" }]);
      await next.put(resourceRecord("disk", { id: "disk-2", state: "created" }));
    });

    test("have only so much to remember", async () => {
      const store = await newStore(harness);
      const records = store.resources.of(await addMadeCluster(store, "a"));
      const most = "x".repeat(256 * 1_024 - '{"text":""}'.length);
      await records.put(resourceRecord("disk", { attributes: { text: most } }));
      const more = records.put(resourceRecord("disk", { attributes: { text: `${most}x` } }));
      await expect(more).rejects.toMatchObject({ code: "InvalidArgument" });
    });

    test.runIf(harness.canReopen)("are given a new key with everything else", async () => {
      const database = await harness.newDatabase();
      const [oldKey, newKey] = [testKey("old"), testKey("new")];
      const record = resourceRecord("disk", { id: "disk-1", attributes: { password: "s3cret" } });
      const first = await openTestStore(database, { keys: [oldKey] });
      const id = await addMadeCluster(first, "a");
      await first.resources.of(id).put(record);
      await first.close();
      const rotating = await openTestStore(database, { keys: [newKey, oldKey] });
      expect(await rotating.reencrypt()).toBe(1);
      expect(await rotating.reencrypt()).toBe(0);
      await rotating.close();
      const rotated = await openTestStore(database, { keys: [newKey] });
      expect(await rotated.resources.of(id).list()).toEqual([record]);
      await rotated.close();
      const wrong = await openTestStore(database, { keys: [oldKey] });
      await expect(wrong.resources.of(id).list()).rejects.toMatchObject({ code: "DecryptionFailed" });
    });
  });
}
