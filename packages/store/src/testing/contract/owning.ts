import {
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type Author,
} from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { DeletionChange } from "../../objects/write-options.ts";
import type { Store } from "../../store.ts";
import { cluster, definition, instance, placement } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const finalizer = "bowline.dev/remove-resources";
const finalizers = [finalizer];

/** An instance `web` of the definition `web` on every cluster, whose placements have something to clean up. */
async function storeWithPlacements(
  harness: StoreHarness,
  { placedBy = { selector: { matchLabels: {}, matchExpressions: [] } } }: { placedBy?: object } = {},
): Promise<Store> {
  const store = await newStore(harness);
  const { objects } = store;
  for (const name of ["c1", "c2"]) await objects.create(Cluster, cluster(name));
  await objects.create(WorkloadDefinition, definition("web"));
  const web = instance("web", "web", []);
  await objects.create(WorkloadInstance, { ...web, spec: { ...web.spec, placement: placedBy } });
  for (const name of ["c1", "c2"]) {
    await objects.create(WorkloadPlacement, { ...placement("web", name), finalizers });
  }
  return store;
}

const [inC1, inC2] = [placementName("web", "c1"), placementName("web", "c2")];

/** The placement has removed its resources. */
async function cleanedUp({ objects }: Store, name: string): Promise<void> {
  await objects.writeFinalizers(WorkloadPlacement, name, () => []);
}

export function owningContract(harness: StoreHarness): void {
  describe("what an object owns", () => {
    test("is deleted with it, without being asked for, and the owner waits for it", async () => {
      const store = await storeWithPlacements(harness);
      const { objects } = store;
      const deleted = await objects.delete(WorkloadInstance, "web");
      expect(deleted.outcome).toBe("deleting");
      for (const name of [inC1, inC2]) {
        const found = await objects.get(WorkloadPlacement, name);
        expect(found?.metadata).toMatchObject({ deletedAt: expect.any(String), finalizers, generation: 2 });
      }
      await cleanedUp(store, inC1);
      expect(await objects.get(WorkloadInstance, "web")).toBeDefined();
      await cleanedUp(store, inC2);
      expect(await objects.get(WorkloadInstance, "web")).toBeUndefined();
      expect(await objects.get(Cluster, "c1")).toBeDefined();
    });

    test("is deleted by somebody, who is written down with the mark, and nobody else can say who it was", async () => {
      const { objects } = await storeWithPlacements(harness);
      const editor: Author = { user: "editor", role: "editor", method: "token", groups: [] };
      const other: Author = { ...editor, user: "other", groups: ["shop"], method: "oidc" };
      const byOf = async (): Promise<unknown> =>
        (await objects.get(WorkloadInstance, "web"))?.status.deletedBy;
      const marked = await objects.delete(WorkloadInstance, "web", { author: editor });
      expect(marked).toMatchObject({
        outcome: "deleting",
        object: { metadata: { deletedAt: expect.any(String) }, status: { deletedBy: editor } },
      });
      await objects.writeStatus(WorkloadInstance, "web", ({ status }) => ({ ...status, deletedBy: other }));
      expect(await byOf()).toEqual(editor);
      const again = await objects.delete(WorkloadInstance, "web", { author: editor });
      expect(again.object.metadata.resourceVersion).toBe(marked.object.metadata.resourceVersion);
      // A deletion of the definition deletes its instances once more.
      await objects.delete(WorkloadDefinition, "web", { author: other, cascade: true });
      expect(await byOf()).toEqual(other);
      const records: string[] = [];
      await objects.delete(WorkloadInstance, "web", {
        author: editor,
        audit: ({ outcome }) => void records.push(outcome),
      });
      expect(await byOf()).toEqual(editor);
      expect(records).toEqual(["deleting"]);
      const { deletedAt } = (await objects.get(WorkloadInstance, "web"))?.metadata ?? {};
      expect(deletedAt).toBe(marked.object.metadata.deletedAt);
    });

    test("goes at once when it has nothing to clean up, and so does the owner", async () => {
      const store = await storeWithPlacements(harness);
      const { objects } = store;
      await cleanedUp(store, inC1);
      await cleanedUp(store, inC2);
      expect((await objects.delete(WorkloadInstance, "web")).outcome).toBe("deleted");
      expect((await objects.list(WorkloadPlacement)).items).toEqual([]);
    });

    test("goes with each of its owners, and both wait for it", async () => {
      const store = await storeWithPlacements(harness);
      const { objects } = store;
      expect((await objects.delete(Cluster, "c1")).outcome).toBe("deleting");
      expect((await objects.get(WorkloadPlacement, inC1))?.metadata.deletedAt).toBeDefined();
      expect((await objects.get(WorkloadPlacement, inC2))?.metadata.deletedAt).toBeUndefined();
      expect((await objects.delete(WorkloadInstance, "web")).outcome).toBe("deleting");
      await cleanedUp(store, inC1);
      expect(await objects.get(Cluster, "c1")).toBeUndefined();
      expect(await objects.get(WorkloadInstance, "web")).toBeDefined();
      await cleanedUp(store, inC2);
      expect(await objects.get(WorkloadInstance, "web")).toBeUndefined();
    });

    test("stays when somebody else still refers to the owner", async () => {
      const store = await storeWithPlacements(harness, { placedBy: { clusters: ["c1", "c2"] } });
      const { objects } = store;
      const before = await store.changes.head();
      await expect(objects.delete(Cluster, "c1")).rejects.toMatchObject({
        code: "StillReferenced",
        details: {
          blockedBy: [{ kind: "WorkloadInstance", name: "web", field: "spec.placement.clusters[]" }],
        },
      });
      expect(await store.changes.head()).toBe(before);
    });

    test("goes in the order of a cascade: parts first, then what they are parts of", async () => {
      const store = await storeWithPlacements(harness, { placedBy: { clusters: ["c1"] } });
      const { objects, changes } = store;
      const before = await changes.head();
      const asked: string[] = [];
      const check = ({ kind, current, isOwned = false }: DeletionChange): void => {
        asked.push(`${kind.kind}/${current.metadata.name}${isOwned ? " owned" : ""}`);
      };
      const audit = ({ outcome, object }: { outcome: string; object: { kind: string } }) => ({
        actor: {},
        verb: "delete" as const,
        outcome: "allowed" as const,
        httpStatus: outcome === "deleted" ? 200 : 202,
        kind: object.kind,
        requestId: "r1",
      });
      const deleted = await objects.delete(Cluster, "c1", { cascade: true, check, audit });
      expect(deleted.outcome).toBe("deleting");
      expect(asked[0]).toBe("Cluster/c1");
      expect(asked.slice(1).toSorted()).toEqual(
        [
          "WorkloadInstance/web",
          `WorkloadPlacement/${inC1} owned`,
          `WorkloadPlacement/${inC2} owned`,
        ].toSorted(),
      );
      const log = await changes.read({ after: before });
      expect(log.items.slice(0, 2).map(({ kind }) => kind)).toEqual([
        "WorkloadPlacement",
        "WorkloadPlacement",
      ]);
      expect(log.items.slice(2).map(({ kind }) => kind)).toEqual(["WorkloadInstance", "Cluster"]);
      expect((await store.audit.list()).total).toBe(4);
      await cleanedUp(store, inC1);
      // The instance has another part, in a cluster that stays.
      expect(await objects.get(Cluster, "c1")).toBeDefined();
      await cleanedUp(store, inC2);
      expect(await objects.get(WorkloadInstance, "web")).toBeUndefined();
      expect(await objects.get(Cluster, "c1")).toBeUndefined();
    });

    test("is left alone by a dry run, which tells that the owner would wait", async () => {
      const store = await storeWithPlacements(harness);
      const before = await store.changes.head();
      const asked: string[] = [];
      const check = ({ current }: DeletionChange): void => void asked.push(current.metadata.name);
      const result = await store.objects.delete(WorkloadInstance, "web", { dryRun: true, check });
      expect(result.outcome).toBe("deleting");
      expect(asked.toSorted()).toEqual(["web", inC1, inC2].toSorted());
      expect(await store.changes.head()).toBe(before);
    });

    test("is not made for an owner that is gone or going", async () => {
      const store = await storeWithPlacements(harness);
      const { objects } = store;
      await objects.create(Cluster, cluster("c3"));
      const orphan = objects.create(WorkloadPlacement, placement("nobody", "c3"));
      await expect(orphan).rejects.toMatchObject({ code: "Invalid" });
      const [, late] = await Promise.allSettled([
        objects.delete(WorkloadInstance, "web"),
        objects.create(WorkloadPlacement, placement("web", "c3")),
      ]);
      expect(late).toMatchObject({ status: "rejected", reason: { code: "Invalid" } });
      // What is there can still be written: it has to be, to go.
      await objects.write(WorkloadPlacement, inC1, () => ({
        ...placement("web", "c1"),
        spec: { ...placement("web", "c1").spec, namespace: "other" },
      }));
    });

    test("may be more than a deletion could change otherwise", async () => {
      const store = await newStore(harness);
      const { objects } = store;
      await objects.create(Cluster, cluster("c1"));
      const names = Array.from({ length: 1_200 }, (_, index) => `i${index}`);
      const everywhere = { selector: { matchLabels: {}, matchExpressions: [] } };
      await Promise.all(
        names.map((name) => {
          const made = instance(name, "web", []);
          return objects.create(WorkloadInstance, { ...made, spec: { ...made.spec, placement: everywhere } });
        }),
      );
      await Promise.all(
        names.map((name) => objects.create(WorkloadPlacement, { ...placement(name, "c1"), finalizers })),
      );
      expect((await objects.delete(Cluster, "c1")).outcome).toBe("deleting");
      const placements = names.map((name) => placementName(name, "c1"));
      await Promise.all(placements.slice(1).map((name) => cleanedUp(store, name)));
      expect(await objects.get(Cluster, "c1")).toBeDefined();
      await cleanedUp(store, String(placements[0]));
      expect(await objects.get(Cluster, "c1")).toBeUndefined();
    });
  });
}
