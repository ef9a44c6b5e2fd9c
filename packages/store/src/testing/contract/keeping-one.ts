import { User, type SpecOf } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { DesiredWrite } from "../../objects/write-options.ts";
import type { Store } from "../../store.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

function user(name: string, spec: Partial<SpecOf<typeof User>> = {}): DesiredWrite<typeof User> {
  return {
    metadata: { name, labels: {}, annotations: {} },
    spec: { role: "admin", groups: [], disabled: false, ...spec },
  };
}

type End = (store: Store, name: string, dryRun?: boolean) => Promise<unknown>;

const remove: End = ({ objects }, name, dryRun) => objects.delete(User, name, { dryRun });
const disable: End = ({ objects }, name, dryRun) =>
  objects.write(User, name, () => user(name, { disabled: true }), { dryRun });
const demote: End = ({ objects }, name, dryRun) =>
  objects.write(User, name, () => user(name, { role: "editor" }), { dryRun });

/** Ways in which an admin stops to be one. */
const ways = Object.entries({ deleting: remove, disabling: disable, demoting: demote });

export function keepingOneContract(harness: StoreHarness): void {
  describe("keeping one", () => {
    test.each(ways)("%s the last admin is refused, a dry run of it too", async (_, end) => {
      const store = await newStore(harness);
      await store.objects.create(User, user("admin"));
      await store.objects.create(User, user("disabled", { disabled: true }));
      await store.objects.create(User, user("editor", { role: "editor" }));
      for (const dryRun of [true, false]) {
        await expect(end(store, "admin", dryRun)).rejects.toMatchObject({
          code: "Forbidden",
          message: expect.stringContaining("last admin"),
        });
      }
      expect(await store.changes.head()).toBe(3);
      await store.objects.create(User, user("deputy"));
      await end(store, "admin");
      await expect(end(store, "deputy")).rejects.toMatchObject({ code: "Forbidden" });
    });

    test("other changes of the last admin, and of who is none, are as always", async () => {
      const { objects } = await newStore(harness);
      await objects.create(User, user("editor", { role: "editor" }));
      await objects.delete(User, "editor");
      await objects.create(User, user("admin"));
      await objects.write(User, "admin", () => user("admin", { groups: ["night-shift"] }));
      await objects.writeStatus(User, "admin", ({ status }) => ({
        ...status,
        lastLoginAt: "2026-01-01T00:00:00Z",
      }));
      expect(await objects.get(User, "admin")).toMatchObject({ spec: { groups: ["night-shift"] } });
    });

    test("of admins that are all ended at once, in one batch, one stays", async () => {
      const store = await newStore(harness);
      const names = ["a", "b", "c", "d"];
      for (const name of names) await store.objects.create(User, user(name));
      const outcomes = await Promise.allSettled(names.map((name) => demote(store, name)));
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    });

    test("who becomes an admin in the same batch counts", async () => {
      const store = await newStore(harness);
      await store.objects.create(User, user("admin"));
      const outcomes = await Promise.allSettled([
        store.objects.create(User, user("deputy")),
        store.objects.delete(User, "admin"),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    });

    test.runIf(harness.canShare)("of two admins that two replicas end at once, one stays", async () => {
      const database = await harness.newDatabase();
      const [first, second] = [await openTestStore(database), await openTestStore(database)];
      for (let round = 0; round < 5; round += 1) {
        for (const name of ["a", "b"]) await first.objects.write(User, name, () => user(name));
        const outcomes = await Promise.allSettled([disable(first, "a"), disable(second, "b")]);
        expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
      }
    });
  });
}
