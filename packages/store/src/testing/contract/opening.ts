import { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { cluster } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

export function openingContract(harness: StoreHarness): void {
  describe("opening and closing", () => {
    test("answers a ping while it is open", async () => {
      const store = await newStore(harness);
      await expect(store.ping()).resolves.toBeUndefined();
      await store.close();
      await store.close();
      await expect(store.ping()).rejects.toMatchObject({ code: "DatabaseUnavailable" });
      const write = store.objects.create(Cluster, cluster("a"));
      await expect(write).rejects.toMatchObject({ code: "DatabaseUnavailable" });
    });

    test("finishes the writes under way before it closes", async () => {
      const store = await newStore(harness);
      const writes = Array.from({ length: 200 }, (_, index) =>
        store.objects.create(Cluster, cluster(`c${index}`)),
      );
      const closing = store.close();
      const outcomes = await Promise.allSettled(writes);
      await closing;
      expect(outcomes.every(({ status }) => status === "fulfilled")).toBe(true);
    });

    test.runIf(harness.canReopen)("finds again what was written", async () => {
      const database = await harness.newDatabase();
      const first = await openTestStore(database);
      const { object } = await first.objects.create(Cluster, cluster("a"));
      await first.close();
      const second = await openTestStore(database);
      expect(await second.objects.get(Cluster, "a")).toEqual(object);
      const next = await second.objects.create(Cluster, cluster("b"));
      expect(next.object.metadata.resourceVersion).toBe("2");
    });

    test.runIf(harness.canShare)(
      "makes the schema once when many replicas start at the same moment",
      async () => {
        const database = await harness.newDatabase();
        const stores = await Promise.all(Array.from({ length: 4 }, () => openTestStore(database)));
        await Promise.all(stores.map((store, index) => store.objects.create(Cluster, cluster(`c${index}`))));
        expect((await stores[0]?.objects.list(Cluster))?.total).toBe(4);
      },
    );
  });
}
