import {
  Cluster,
  Credential,
  WorkloadDefinition,
  WorkloadInstance,
  type Kind,
  type ManagedBy,
} from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { DesiredWrite, ObjectWrite, WriteOptions } from "../../objects/write-options.ts";
import { cluster, credential, definition, instance } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const put = (kind: Kind, desired: DesiredWrite<Kind>, options: WriteOptions<Kind> = {}): ObjectWrite => ({
  action: "write",
  kind,
  name: desired.metadata.name,
  decide: () => desired,
  options,
});
const remove = (kind: Kind, name: string): ObjectWrite => ({ action: "delete", kind, name, options: {} });
const refuse = (name: string): ObjectWrite => ({
  action: "write",
  kind: Cluster,
  name,
  decide: () => {
    throw new Error(`${name} is refused`);
  },
  options: {},
});

const mark: ManagedBy = {
  configSource: "fleet",
  repository: "https://git.example.com/fleet.git",
  file: "a.yaml",
  commit: "0".repeat(40),
};

export function writingAllContract(harness: StoreHarness): void {
  describe("writing several objects", () => {
    test("makes all changes in their order, each seeing those before it", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("old"));
      await objects.create(WorkloadInstance, instance("web", "web", ["old"]));
      const results = await objects.writeAll([
        put(Cluster, cluster("new")),
        put(WorkloadDefinition, definition("web")),
        // Without this one before it, the deletion of the cluster would be refused.
        put(WorkloadInstance, instance("web", "web", ["new"])),
        remove(Cluster, "old"),
      ]);
      expect(results.map(({ outcome }) => outcome)).toEqual(["created", "created", "updated", "deleted"]);
      expect(await objects.listNames(Cluster)).toEqual(["new"]);
      expect(results.map(({ object }) => Number(object.metadata.resourceVersion))).toEqual([3, 4, 5, 6]);
    });

    test("makes none of them when one is refused, and leaves what others do at the same time", async () => {
      const { objects, changes, audit: log } = await newStore(harness);
      await objects.create(Cluster, cluster("a", { region: "eu-1" }));
      await objects.create(Credential, credential("key", { value: "1" }));
      const audit = () =>
        ({ actor: {}, verb: "update", outcome: "allowed", httpStatus: 200, requestId: "r1" }) as const;
      // All in one batch of the committer, in which each sees what those before it did.
      const [before, whole, after] = await Promise.allSettled([
        objects.create(Cluster, cluster("before")),
        objects.writeAll([
          put(Cluster, cluster("a", { region: "eu-2" }), { audit }),
          put(Cluster, cluster("b")),
          remove(Credential, "key"),
          remove(Cluster, "before"),
          refuse("c"),
        ]),
        objects.create(Cluster, cluster("b", { region: "eu-3" })),
      ]);
      expect(before.status).toBe("fulfilled");
      expect(whole).toMatchObject({ status: "rejected", reason: { message: "c is refused" } });
      expect(after).toMatchObject({ status: "fulfilled", value: { outcome: "created" } });
      expect(await objects.listNames(Cluster)).toEqual(["a", "b", "before"]);
      expect(await objects.get(Cluster, "a")).toMatchObject({
        spec: { region: "eu-1" },
        metadata: { generation: 1 },
      });
      expect(await objects.get(Cluster, "b")).toMatchObject({ spec: { region: "eu-3" } });
      expect(await objects.reveal(Credential, "key")).toMatchObject({ spec: { data: { value: "1" } } });
      // No number of a change was used up by what was not done, and nothing was recorded.
      expect(await changes.head()).toBe(4);
      expect((await log.list()).items).toEqual([]);
    });

    test("is refused as a whole when the lease was granted to another", async () => {
      const { objects, leases } = await newStore(harness);
      const first = await leases.tryAcquire("ConfigSource/fleet", "one", 60_000);
      const fence = { key: "ConfigSource/fleet", token: (first?.token ?? 0) + 1 };
      const fenced = put(Cluster, cluster("b"), { fence });
      await expect(objects.writeAll([put(Cluster, cluster("a")), fenced])).rejects.toMatchObject({
        code: "LeaseLost",
      });
      expect(await objects.listNames(Cluster)).toEqual([]);
    });
  });

  describe("the mark of what comes from git", () => {
    test("stays when others write the object, is found by its source, and can be taken away", async () => {
      const { objects } = await newStore(harness);
      const fields = WorkloadInstance.filterable.filter(({ text }) => text.startsWith("metadata.managedBy"));
      await objects.create(WorkloadInstance, { ...instance("web", "web", ["a"]), managedBy: mark });
      await objects.create(WorkloadInstance, instance("other", "web", ["a"]));
      await objects.write(WorkloadInstance, "web", () => instance("web", "web", ["b"]));
      const { object } = await objects.writeStatus(WorkloadInstance, "web", ({ status }) => ({
        ...status,
        clusterCount: 1,
      }));
      expect(object.metadata.managedBy).toEqual(mark);
      const found = (): Promise<string[]> =>
        objects.listNames(WorkloadInstance, {
          fields: fields.map((field) => ({ field, operator: "=", value: "fleet" })),
        });
      expect(await found()).toEqual(["web"]);
      const again = await objects.write(WorkloadInstance, "web", () => ({
        ...instance("web", "web", ["b"]),
        managedBy: mark,
      }));
      expect(again.outcome).toBe("unchanged");
      const released = await objects.write(WorkloadInstance, "web", () => ({
        ...instance("web", "web", ["b"]),
        managedBy: null,
      }));
      expect(released).toMatchObject({ outcome: "updated", object: { metadata: { generation: 2 } } });
      expect(released.object.metadata).not.toHaveProperty("managedBy");
      expect(await found()).toEqual([]);
    });
  });
}
