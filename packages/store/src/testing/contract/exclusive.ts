import { Gateway, type SpecOf } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { DesiredWrite } from "../../objects/write-options.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

type Spec = SpecOf<typeof Gateway>;

function gateway(name: string, spec: Partial<Spec> = {}): DesiredWrite<typeof Gateway> {
  return {
    metadata: { name, labels: {}, annotations: {} },
    spec: {
      instance: "web",
      hosts: ["shop.example.com"],
      rules: [{ path: "/", service: "web", port: 80 }],
      tls: { mode: "terminate" },
      visibility: "public",
      probe: true,
      ...spec,
    },
  };
}

const api = { rules: [{ path: "/api", service: "web", port: 80 }] };

export function exclusiveContract(harness: StoreHarness): void {
  describe("what one object has for itself", () => {
    test.each<[string, Partial<Spec>, Partial<Spec>]>([
      ["the same host", {}, {}],
      ["one of its hosts", { hosts: ["a.example.com", "b.example.com"] }, { hosts: ["b.example.com"] }],
      ["a cluster and every cluster", { clusters: ["a"] }, {}],
      ["every cluster and a cluster", {}, { clusters: ["a"] }],
      ["a class and whatever class", { class: "nginx" }, {}],
      ["a prefix with a slash behind it", api, { rules: [{ path: "/api/", service: "web", port: 80 }] }],
      ["a path with another tls", api, { tls: { mode: "none" } }],
    ])("is refused to a second one, with the name of the first: %s", async (_, first, second) => {
      const store = await newStore(harness);
      await store.objects.create(Gateway, gateway("first", first));
      const before = await store.changes.head();
      for (const dryRun of [true, false]) {
        await expect(
          store.objects.create(Gateway, gateway("second", second), { dryRun }),
        ).rejects.toMatchObject({
          code: "Invalid",
          message: expect.stringContaining('by Gateway "first"'),
        });
      }
      expect(await store.changes.head()).toBe(before);
    });

    test.each<[string, Partial<Spec>, Partial<Spec>]>([
      ["another path", {}, api],
      ["another cluster", { clusters: ["a"] }, { clusters: ["b"] }],
      ["another class", { class: "nginx" }, { class: "envoy" }],
      ["an exact name beside a wildcard", { hosts: ["*.example.com"] }, {}],
      ["whether plain HTTP is redirected", api, { tls: { mode: "terminate", redirect: false } }],
    ])("is not that of one with %s", async (_, first, second) => {
      const { objects } = await newStore(harness);
      await objects.create(Gateway, gateway("first", first));
      await expect(objects.create(Gateway, gateway("second", second))).resolves.toMatchObject({
        outcome: "created",
      });
    });

    test("stays its own through writes that change something else, and is free when it goes", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Gateway, gateway("first"));
      await objects.write(Gateway, "first", () => gateway("first", { probe: false }));
      await objects.create(Gateway, gateway("second", api));
      await expect(objects.write(Gateway, "second", () => gateway("second"))).rejects.toMatchObject({
        code: "Invalid",
      });
      await objects.delete(Gateway, "first");
      await objects.write(Gateway, "second", () => gateway("second"));
    });

    test("is its own until it is gone, while it is being deleted", async () => {
      const { objects } = await newStore(harness);
      const finalizers = ["bowline.dev/remove-routes"];
      await objects.create(Gateway, { ...gateway("first"), finalizers });
      await objects.delete(Gateway, "first");
      await expect(objects.create(Gateway, gateway("second"))).rejects.toMatchObject({
        message: expect.stringContaining('by Gateway "first", which is being deleted'),
      });
      await objects.writeFinalizers(Gateway, "first", () => []);
      await objects.create(Gateway, gateway("second"));
    });

    test("goes to one of many who take it at the same moment, in one batch", async () => {
      const store = await newStore(harness);
      const names = Array.from({ length: 20 }, (_, index) => `gateway-${index}`);
      const outcomes = await Promise.allSettled(
        names.map((name) => store.objects.create(Gateway, gateway(name))),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await store.objects.list(Gateway)).items).toHaveLength(1);
    });

    test("of more owners of other paths than one page has, the one of this path is found", async () => {
      const { objects } = await newStore(harness);
      const writes = Array.from({ length: 1_005 }, (_, index) => {
        const path = `/${String(index).padStart(4, "0")}`;
        const wanted = gateway(`g-${path.slice(1)}`, { rules: [{ path, service: "web", port: 80 }] });
        return objects.create(Gateway, wanted);
      });
      await Promise.all(writes);
      const last = gateway("second", { rules: [{ path: "/1004", service: "web", port: 80 }] });
      await expect(objects.create(Gateway, last)).rejects.toMatchObject({
        message: expect.stringContaining('by Gateway "g-1004"'),
      });
    });

    test.runIf(harness.canShare)("goes to one of two replicas that take it at once", async () => {
      const database = await harness.newDatabase();
      const [first, second] = [await openTestStore(database), await openTestStore(database)];
      for (let round = 0; round < 5; round += 1) {
        const wanted = { hosts: [`round-${round}.example.com`] };
        const outcomes = await Promise.allSettled([
          first.objects.create(Gateway, gateway(`a-${round}`, wanted)),
          second.objects.create(Gateway, gateway(`b-${round}`, wanted)),
        ]);
        expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      }
    });
  });
}
