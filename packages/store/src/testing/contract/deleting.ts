import { AccessGrant, Cluster, Credential, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { DeletionChange } from "../../objects/write-options.ts";
import type { Store } from "../../store.ts";
import { cluster, credential, definition, instance } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const finalizer = "bowline.dev/test";

async function storeWithWeb(harness: StoreHarness): Promise<Store> {
  const store = await newStore(harness);
  await store.objects.create(Cluster, cluster("c1"));
  await store.objects.create(Cluster, cluster("c2"));
  await store.objects.create(WorkloadDefinition, definition("web"));
  await store.objects.create(WorkloadInstance, instance("web-both", "web", ["c1", "c2"]));
  await store.objects.create(WorkloadInstance, instance("web-one", "web", ["c1"]));
  return store;
}

export function deletingContract(harness: StoreHarness): void {
  describe("deleting", () => {
    test("removes an object without finalizers, which frees its name", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a", { labels: { x: "y" } }));
      const deleted = await objects.delete(Cluster, "a");
      expect(deleted).toMatchObject({ outcome: "deleted", object: { metadata: { resourceVersion: "2" } } });
      expect(await objects.get(Cluster, "a")).toBeUndefined();
      await expect(objects.delete(Cluster, "a")).rejects.toMatchObject({ code: "NotFound" });
      expect(await objects.list(Cluster)).toMatchObject({ items: [], total: 0 });
      await objects.create(Cluster, cluster("a"));
      expect(await objects.list(Cluster)).toMatchObject({ total: 1 });
    });

    test("keeps an object with finalizers until the last is gone", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, { ...cluster("a"), finalizers: [finalizer] });
      await objects.writeStatus(Cluster, "a", () => ({ conditions: [], observedGeneration: 1 }));
      const marked = await objects.delete(Cluster, "a");
      expect(marked).toMatchObject({ outcome: "deleting", object: { metadata: { generation: 2 } } });
      expect(marked.object.metadata.deletedAt).toBeDefined();
      // Its controller has work to do, and a sweeper must find it.
      expect(await objects.listUnobserved({ kinds: [Cluster], limit: 1 })).toMatchObject([{ name: "a" }]);
      const again = await objects.delete(Cluster, "a");
      expect(again).toEqual({ outcome: "deleting", object: marked.object });
      await expect(objects.create(Cluster, cluster("a"))).rejects.toMatchObject({
        code: "AlreadyExists",
        retryable: true,
      });
      const gone = await objects.writeFinalizers(Cluster, "a", () => []);
      expect(gone.outcome).toBe("deleted");
      expect(await objects.get(Cluster, "a")).toBeUndefined();
    });

    test("removing finalizers from an object that is not deleted leaves it", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      const added = await objects.writeFinalizers(Cluster, "a", () => [finalizer]);
      expect(added.object.metadata).toMatchObject({ finalizers: [finalizer], generation: 1 });
      const removed = await objects.writeFinalizers(Cluster, "a", () => []);
      expect(removed.outcome).toBe("updated");
      expect(removed.object.metadata.finalizers).toBeUndefined();
    });

    test("refuses while others refer to it, and lists them", async () => {
      const { objects } = await storeWithWeb(harness);
      const blockedBy = [
        { kind: "WorkloadInstance", name: "web-both", field: "spec.placement.clusters[]" },
        { kind: "WorkloadInstance", name: "web-one", field: "spec.placement.clusters[]" },
      ];
      await expect(objects.delete(Cluster, "c1")).rejects.toMatchObject({
        code: "StillReferenced",
        details: { blockedBy },
      });
      await objects.delete(WorkloadInstance, "web-one");
      await objects.write(WorkloadInstance, "web-both", () => instance("web-both", "web", ["c2"]));
      await expect(objects.delete(Cluster, "c1")).resolves.toMatchObject({ outcome: "deleted" });
    });

    test("sees a reference that came in the same moment", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("c1"));
      const [made, deleted] = await Promise.allSettled([
        objects.create(WorkloadInstance, instance("web", "web", ["c1"])),
        objects.delete(Cluster, "c1"),
      ]);
      expect(made.status).toBe("fulfilled");
      expect(deleted).toMatchObject({ status: "rejected", reason: { code: "StillReferenced" } });
    });

    test("cascade takes a name out of lists, and deletes what would be left with an empty one", async () => {
      const { objects, changes } = await storeWithWeb(harness);
      await objects.create(AccessGrant, {
        metadata: { name: "grant", labels: {}, annotations: {} },
        spec: {
          subjects: [{ user: "editor" }],
          clusters: { names: ["c1"] },
          kubernetes: { groups: ["dev"] },
        },
      });
      const before = await changes.head();
      await expect(objects.delete(Cluster, "c1", { cascade: true })).resolves.toMatchObject({
        outcome: "deleted",
      });
      expect(await objects.get(WorkloadInstance, "web-one")).toBeUndefined();
      expect(await objects.get(AccessGrant, "grant")).toBeUndefined();
      expect(await objects.get(WorkloadInstance, "web-both")).toMatchObject({
        metadata: { generation: 2 },
        spec: { placement: { clusters: ["c2"] } },
      });
      const log = await changes.read({ after: before });
      expect(log.items.map(({ type, name }) => `${type} ${name}`)).toEqual([
        "MODIFIED web-both",
        "DELETED web-one",
        "DELETED grant",
        "DELETED c1",
      ]);
      expect(
        log.items.every(({ object, revision }) => object.metadata.resourceVersion === String(revision)),
      ).toBe(true);
    });

    test("asks about every object that would change, and records each", async () => {
      const store = await storeWithWeb(harness);
      const { objects } = store;
      const asked: string[] = [];
      const check = ({ kind, current, spec }: DeletionChange): void => {
        asked.push(`${spec === undefined ? "delete" : "update"} ${kind.kind}/${current.metadata.name}`);
        if (current.metadata.name === "web-one") throw new TypeError("refused");
      };
      await expect(objects.delete(Cluster, "c1", { cascade: true, check })).rejects.toThrow("refused");
      expect(asked).toEqual([
        "delete Cluster/c1",
        "update WorkloadInstance/web-both",
        "delete WorkloadInstance/web-one",
      ]);
      expect(await objects.get(WorkloadInstance, "web-both")).toMatchObject({ metadata: { generation: 1 } });
      await objects.delete(Cluster, "c1", {
        cascade: true,
        audit: ({ outcome, object }) => ({
          actor: {},
          verb: outcome === "updated" ? "update" : "delete",
          outcome: "allowed",
          httpStatus: 200,
          kind: object.kind,
          name: object.metadata.name,
          requestId: "r1",
        }),
      });
      const { items } = await store.audit.list();
      expect(items.map(({ verb, kind, name }) => `${verb} ${kind}/${name}`)).toEqual([
        "delete Cluster/c1",
        "delete WorkloadInstance/web-one",
        "update WorkloadInstance/web-both",
      ]);
    });

    test("cascade refuses where a kind says so, and then does nothing", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Credential, credential("aws", { key: "x" }));
      await objects.create(Cluster, {
        ...cluster("eks"),
        spec: { provider: "eks", region: "eu-1", eks: { credential: "aws", nodeGroups: [] } },
      });
      await expect(objects.delete(Credential, "aws", { cascade: true })).rejects.toMatchObject({
        code: "StillReferenced",
        details: { blockedBy: [{ kind: "Cluster", name: "eks", field: "spec.eks.credential" }] },
      });
      expect(await objects.get(Credential, "aws")).toBeDefined();
    });

    test("cascade keeps an object until what refers to it has finished its own deletion", async () => {
      const { objects } = await newStore(harness);
      await objects.create(WorkloadDefinition, definition("web"));
      for (const name of ["i1", "i2"]) {
        await objects.create(WorkloadInstance, { ...instance(name, "web", ["c1"]), finalizers: [finalizer] });
      }
      const deleted = await objects.delete(WorkloadDefinition, "web", { cascade: true });
      expect(deleted.outcome).toBe("deleting");
      await objects.writeFinalizers(WorkloadInstance, "i1", () => []);
      expect(await objects.get(WorkloadDefinition, "web")).toBeDefined();
      await objects.writeFinalizers(WorkloadInstance, "i2", () => []);
      expect(await objects.get(WorkloadInstance, "i2")).toBeUndefined();
      expect(await objects.get(WorkloadDefinition, "web")).toBeUndefined();
    });
  });
}
