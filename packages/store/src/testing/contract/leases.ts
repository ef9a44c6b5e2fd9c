import { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { cluster } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const longMs = 60_000;

export function leasesContract(harness: StoreHarness): void {
  describe("leases", () => {
    test("are held by one owner, and their tokens only grow", async () => {
      const { leases } = await newStore(harness);
      const first = await leases.tryAcquire("k", "one", longMs);
      expect(first).toBeDefined();
      expect(await leases.tryAcquire("k", "two", longMs)).toBeUndefined();
      expect(await leases.tryAcquire("other", "two", longMs)).toBeDefined();
      const again = await leases.tryAcquire("k", "one", longMs);
      expect(again?.token).toBeGreaterThan(first?.token ?? Infinity);
      expect(await leases.renew("k", first?.token ?? 0, longMs)).toBe(false);
      expect(await leases.renew("k", again?.token ?? 0, longMs)).toBe(true);
      await leases.release("k", first?.token ?? 0);
      expect(await leases.tryAcquire("k", "two", longMs)).toBeUndefined();
      await leases.release("k", again?.token ?? 0);
      expect(await leases.renew("k", again?.token ?? 0, longMs)).toBe(false);
      const next = await leases.tryAcquire("k", "two", longMs);
      expect(next?.token).toBeGreaterThan(again?.token ?? Infinity);
    });

    test("run out", async () => {
      const { leases } = await newStore(harness);
      const first = await leases.tryAcquire("k", "one", 30);
      await expect.poll(() => leases.tryAcquire("k", "two", longMs)).toBeDefined();
      expect(await leases.renew("k", first?.token ?? 0, longMs)).toBe(false);
    });

    test("are granted to one of many who ask at once", async () => {
      const { leases } = await newStore(harness);
      const grants = await Promise.all(
        Array.from({ length: 20 }, (_, index) => leases.tryAcquire("k", `owner-${index}`, longMs)),
      );
      expect(grants.filter((grant) => grant !== undefined)).toHaveLength(1);
    });

    test("fence the writes of who has lost one", async () => {
      const { objects, leases } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      const key = "Cluster/a";
      const write = (token: number, version: string) =>
        objects.writeStatus(Cluster, "a", () => ({ conditions: [], kubernetesVersion: version }), {
          fence: { key, token },
        });
      const { token: first = 0 } = (await leases.tryAcquire(key, "one", 20)) ?? {};
      await expect(write(first, "v1")).resolves.toMatchObject({ outcome: "updated" });
      await expect.poll(() => leases.tryAcquire(key, "two", longMs)).toBeDefined();
      await expect(write(first, "v2")).rejects.toMatchObject({ code: "LeaseLost" });
      expect((await objects.get(Cluster, "a"))?.status.kubernetesVersion).toBe("v1");
      const finalizers = objects.writeFinalizers(Cluster, "a", () => ["bowline.dev/x"], {
        fence: { key: "never-granted", token: 1 },
      });
      await expect(finalizers).rejects.toMatchObject({ code: "LeaseLost" });
    });

    test("fence every write of objects, also of other objects than the one that the lease is on", async () => {
      const { objects, leases } = await newStore(harness);
      const key = "WorkloadInstance/web";
      const { token: first = 0 } = (await leases.tryAcquire(key, "one", 20)) ?? {};
      const old = { key, token: first };
      await objects.create(Cluster, cluster("a"), { fence: old });
      let second: number | undefined;
      const take = async () => (second = (await leases.tryAcquire(key, "two", longMs))?.token);
      await expect.poll(take).toBeDefined();
      const refused = await Promise.allSettled([
        objects.create(Cluster, cluster("b"), { fence: old }),
        objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }), { fence: old }),
        objects.delete(Cluster, "a", { fence: old }),
      ]);
      expect(refused.map((each) => each.status === "rejected" && each.reason.code)).toEqual([
        "LeaseLost",
        "LeaseLost",
        "LeaseLost",
      ]);
      expect(await objects.list(Cluster)).toMatchObject({
        items: [{ spec: { provider: "existing" } }],
        total: 1,
      });
      const fence = { key, token: second ?? 0 };
      await objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }), { fence });
      await expect(objects.delete(Cluster, "a", { fence, id: "another" })).rejects.toMatchObject({
        code: "NotFound",
      });
      expect((await objects.delete(Cluster, "a", { fence })).outcome).toBe("deleted");
    });
  });
}
