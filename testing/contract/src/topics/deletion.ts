import { resources } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, pod } from "../objects.ts";
import { RawWatch } from "../raw-watch.ts";
import { sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, pods } = resources;

export function deletionContract(cluster: () => RunningTarget): void {
  it("of a plain object is done at once", async () => {
    const { client, namespace } = await sandbox(cluster());
    const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
    expect(await client.delete(configMaps, { namespace, name: "a" })).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: a.metadata.uid },
    });
    await expect(client.get(configMaps, { namespace, name: "a" })).rejects.toMatchObject({
      code: "NotFound",
    });
    await expect(client.delete(configMaps, { namespace, name: "a" })).rejects.toMatchObject({
      code: "NotFound",
    });
  });

  it("gives a new object of the same name another uid", async () => {
    const { client, namespace } = await sandbox(cluster());
    const first = await client.create(configMaps, configMap({ namespace, name: "a" }));
    await client.delete(configMaps, { namespace, name: "a" });
    const second = await client.create(configMaps, configMap({ namespace, name: "a" }));
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it("stores nothing in a dry run", async () => {
    const { client, namespace } = await sandbox(cluster());
    const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
    await client.delete(configMaps, { namespace, name: "a", dryRun: true });
    expect(await client.get(configMaps, { namespace, name: "a" })).toEqual(a);
  });

  describe("finalizers", () => {
    it("hold an object until the last is gone", async () => {
      const { client, namespace } = await sandbox(cluster());
      const finalizers = ["example.com/a", "example.com/b"];
      const made = await client.create(configMaps, configMap({ namespace, name: "a", finalizers }));
      const { resourceVersion = "" } = made.metadata;
      using watch = await RawWatch.open(client, configMaps, {
        namespace,
        name: "a",
        query: { resourceVersion },
      });
      const going = await client.delete(configMaps, { namespace, name: "a" });
      expect(going.metadata).toMatchObject({ finalizers, deletionGracePeriodSeconds: 0 });
      expect(going.metadata.deletionTimestamp).toMatch(/Z$/);
      const target = { namespace, name: "a", type: "merge" } as const;
      await client.patch(configMaps, { metadata: { finalizers: ["example.com/b"] } }, target);
      await client.patch(configMaps, { metadata: { finalizers: null } }, target);
      await expect(client.get(configMaps, { namespace, name: "a" })).rejects.toMatchObject({
        code: "NotFound",
      });
      const events = await watch.take(3);
      expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "MODIFIED", "DELETED"]);
    });

    it("keep the time of the first deletion", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/a"] }));
      const first = await client.delete(configMaps, { namespace, name: "a" });
      const second = await client.delete(configMaps, { namespace, name: "a" });
      expect(second.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it("cannot be added to an object that is going", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/a"] }));
      await client.delete(configMaps, { namespace, name: "a" });
      const patch = { metadata: { finalizers: ["example.com/a", "example.com/b"] } };
      await expect(
        client.patch(configMaps, patch, { namespace, name: "a", type: "merge" }),
      ).rejects.toMatchObject({
        code: "Invalid",
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ reason: "FieldValueForbidden", field: "metadata.finalizers" }),
          ]),
        },
      });
    });

    it("must be qualified names", async () => {
      const { client, namespace } = await sandbox(cluster());
      const made = client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["plain"] }));
      await expect(made).rejects.toMatchObject({ code: "Invalid" });
    });
  });

  describe("preconditions", () => {
    it("delete only the very object", async () => {
      const { client, namespace } = await sandbox(cluster());
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
      const uid = "11111111-1111-4111-8111-111111111111";
      await expect(
        client.delete(configMaps, { namespace, name: "a", preconditions: { uid } }),
      ).rejects.toMatchObject({
        code: "Conflict",
        message: expect.stringContaining("UID in the precondition"),
      });
      const preconditions = { uid: a.metadata.uid ?? "" };
      await client.delete(configMaps, { namespace, name: "a", preconditions });
    });

    it("delete only what nobody changed", async () => {
      const { client, namespace } = await sandbox(cluster());
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
      const b = await client.update(configMaps, { ...a, data: { key: "value" } });
      const unchanged = (resourceVersion = ""): Promise<unknown> =>
        client.delete(configMaps, { namespace, name: "a", preconditions: { resourceVersion } });
      await expect(unchanged(a.metadata.resourceVersion)).rejects.toMatchObject({
        code: "Conflict",
        message: expect.stringContaining("ResourceVersion in the precondition"),
      });
      await unchanged(b.metadata.resourceVersion);
    });
  });

  describe("collections", () => {
    it("go by selector", async () => {
      const { client, namespace } = await sandbox(cluster());
      for (const [name, app] of Object.entries({ a: "web", b: "web", c: "db" })) {
        await client.create(configMaps, configMap({ namespace, name, labels: { app } }));
      }
      await client.deleteCollection(configMaps, { namespace, labelSelector: "app=web" });
      const left = await client.list(configMaps, { namespace, labelSelector: "app" });
      expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    });

    it("leave what a finalizer holds", async () => {
      const { client, namespace } = await sandbox(cluster());
      const labels = { contract: "yes" };
      await client.create(configMaps, configMap({ namespace, name: "a", labels }));
      await client.create(
        configMaps,
        configMap({ namespace, name: "b", labels, finalizers: ["example.com/a"] }),
      );
      await client.deleteCollection(configMaps, { namespace, labelSelector: "contract" });
      const left = await client.list(configMaps, { namespace, labelSelector: "contract" });
      expect(left.items).toMatchObject([{ metadata: { name: "b", deletionTimestamp: expect.any(String) } }]);
    });
  });

  describe("pods", () => {
    it("on a node are given time", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(pods, pod({ namespace, name: "a" }, { nodeName: "elsewhere" }));
      const going = await client.delete(pods, { namespace, name: "a" });
      expect(going).toMatchObject({
        kind: "Pod",
        metadata: { deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) },
      });
      const sooner = await client.delete(pods, { namespace, name: "a", gracePeriodSeconds: 5 });
      expect(sooner.metadata.deletionGracePeriodSeconds).toBe(5);
    });

    it("go at once when nobody runs them, or with a grace of 0", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(pods, pod({ namespace, name: "waiting" }, { nodeSelector: { nowhere: "at-all" } }));
      await client.delete(pods, { namespace, name: "waiting" });
      await client.create(pods, pod({ namespace, name: "bound" }, { nodeName: "elsewhere" }));
      await client.delete(pods, { namespace, name: "bound", gracePeriodSeconds: 0 });
      expect((await client.list(pods, { namespace })).items).toEqual([]);
    });
  });
}
