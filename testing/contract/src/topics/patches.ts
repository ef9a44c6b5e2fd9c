import { resources } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, deployment, type Workload } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps, deployments, services } = resources;

export function patchesContract(cluster: () => RunningTarget): void {
  describe("merge patch", () => {
    it("sets, keeps and removes members", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(
        configMaps,
        configMap({ namespace, name: "a" }, { keep: "1", change: "1", drop: "1" }),
      );
      const patch = { data: { change: "2", drop: null, add: "1" } };
      const patched = await client.patch(configMaps, patch, { namespace, name: "a", type: "merge" });
      expect(patched).toMatchObject({ data: { keep: "1", change: "2", add: "1" } });
      expect(patched).not.toHaveProperty("data.drop");
    });

    it("replaces lists as a whole", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(deployments, deployment({ namespace, name: "a" }, 0));
      const patch = { spec: { template: { spec: { containers: [{ name: "other", image: "other:1" }] } } } };
      const patched = await client.patch<Workload>(deployments, patch, {
        namespace,
        name: "a",
        type: "merge",
      });
      expect(patched.spec.template.spec.containers.map(({ name }) => name)).toEqual(["other"]);
    });

    it("keeps the version when nothing changed", async () => {
      const { client, namespace } = await sandbox(cluster());
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      const target = { namespace, name: "a", type: "merge" } as const;
      expect(await client.patch(configMaps, { data: { key: "value" } }, target)).toEqual(a);
    });

    it("is a conflict when it names an old version, and refused for another uid", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "merge" } as const;
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
      await client.patch(configMaps, { data: { who: "faster" } }, target);
      const { resourceVersion } = a.metadata;
      const stale = { metadata: { resourceVersion }, data: { who: "slower" } };
      await expect(client.patch(configMaps, stale, target)).rejects.toMatchObject({ code: "Conflict" });
      const other = { metadata: { uid: "11111111-1111-4111-8111-111111111111" }, data: { who: "slower" } };
      await expect(client.patch(configMaps, other, target)).rejects.toMatchObject({
        // 1.20 finds the field immutable; newer servers find that another object is meant.
        code: expect.stringMatching(/^(Invalid|Conflict)$/),
      });
    });

    it("cannot rename, and patches nothing that is missing", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      const renamed = client.patch(
        configMaps,
        { metadata: { name: "b" } },
        { namespace, name: "a", type: "merge" },
      );
      await expect(renamed).rejects.toMatchObject({ details: { httpStatus: 400 } });
      const missing = client.patch(configMaps, { data: {} }, { namespace, name: "b", type: "merge" });
      await expect(missing).rejects.toMatchObject({ code: "NotFound" });
    });
  });

  describe("JSON patch", () => {
    it("adds, replaces, removes, moves, copies and tests", async () => {
      const { client, namespace } = await sandbox(cluster());
      const annotations = { "example.com/note": "old" };
      await client.create(
        configMaps,
        configMap({ namespace, name: "a", annotations }, { old: "1", gone: "3" }),
      );
      const operations = [
        { op: "test", path: "/data/old", value: "1" },
        { op: "replace", path: "/metadata/annotations/example.com~1note", value: "new" },
        { op: "remove", path: "/data/gone" },
        { op: "add", path: "/metadata/labels", value: { app: "web" } },
        { op: "copy", from: "/data/old", path: "/data/copied" },
        { op: "move", from: "/data/old", path: "/data/moved" },
      ];
      const patched = await client.patch(configMaps, operations, { namespace, name: "a", type: "json" });
      expect(patched.metadata).toMatchObject({
        labels: { app: "web" },
        annotations: { "example.com/note": "new" },
      });
      expect(patched["data"]).toEqual({ copied: "1", moved: "1" });
    });

    it("edits lists by position", async () => {
      const { client, namespace } = await sandbox(cluster());
      const made = await client.create(deployments, deployment({ namespace, name: "a" }, 0));
      const at = "/spec/template/spec/containers";
      const operations = [
        { op: "add", path: `${at}/0`, value: { name: "first", image: "first:1" } },
        { op: "add", path: `${at}/-`, value: { name: "last", image: "last:1" } },
        { op: "remove", path: `${at}/1` },
      ];
      const patched = await client.patch<Workload>(deployments, operations, {
        namespace,
        name: "a",
        type: "json",
      });
      expect(made.spec.template.spec.containers).toHaveLength(1);
      expect(patched.spec.template.spec.containers.map(({ name }) => name)).toEqual(["first", "last"]);
    });

    it("changes nothing when a test fails or a path is missing", async () => {
      const { client, namespace } = await sandbox(cluster());
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      const target = { namespace, name: "a", type: "json" } as const;
      const change = { op: "add", path: "/data/other", value: "1" };
      const failing = [change, { op: "test", path: "/data/key", value: "wrong" }];
      await expect(client.patch(configMaps, failing, target)).rejects.toMatchObject({
        code: "Invalid",
        details: { httpStatus: 422 },
      });
      const missing = [change, { op: "remove", path: "/data/missing" }];
      await expect(client.patch(configMaps, missing, target)).rejects.toMatchObject({ code: "Invalid" });
      expect(await client.get(configMaps, { namespace, name: "a" })).toEqual(a);
    });

    it("must be a list of operations", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      const patch = client.patch(configMaps, { data: {} }, { namespace, name: "a", type: "json" });
      await expect(patch).rejects.toMatchObject({ code: "BadRequest" });
    });
  });

  describe("strategic merge patch", () => {
    it("merges containers by name and replaces plain lists", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "strategic" } as const;
      const made = deployment({ namespace, name: "a" }, 0);
      made.spec.template.spec.containers = [
        { name: "web", image: "web:1", args: ["a", "b"], env: [{ name: "KEEP", value: "1" }] },
        { name: "side", image: "side:1" },
      ];
      await client.create(deployments, made);
      const containers = [{ name: "web", args: ["c"], env: [{ name: "ADD", value: "2" }] }];
      const patched = await client.patch<Workload>(
        deployments,
        { spec: { template: { spec: { containers } } } },
        target,
      );
      expect(patched.spec.template.spec.containers).toMatchObject([
        {
          name: "web",
          image: "web:1",
          args: ["c"],
          env: [
            { name: "ADD", value: "2" },
            { name: "KEEP", value: "1" },
          ],
        },
        { name: "side", image: "side:1" },
      ]);
    });

    it("removes by $patch, orders by $setElementOrder, replaces by $patch", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "strategic" } as const;
      const made = deployment({ namespace, name: "a" }, 0);
      made.spec.template.spec.containers = ["one", "two", "three"].map((name) => ({
        name,
        image: `${name}:1`,
      }));
      await client.create(deployments, made);
      const patchPod = (spec: object): Promise<Workload> =>
        client.patch<Workload>(deployments, { spec: { template: { spec } } }, target);
      const removed = await patchPod({ containers: [{ $patch: "delete", name: "two" }] });
      expect(removed.spec.template.spec.containers.map(({ name }) => name)).toEqual(["one", "three"]);
      const ordered = await patchPod({
        "$setElementOrder/containers": [{ name: "three" }, { name: "one" }],
        containers: [{ name: "one", image: "one:2" }],
      });
      expect(ordered.spec.template.spec.containers.map(({ name, image }) => [name, image])).toEqual([
        ["three", "three:1"],
        ["one", "one:2"],
      ]);
      const replaced = await patchPod({
        containers: [{ $patch: "replace" }, { name: "only", image: "only:1" }],
      });
      expect(replaced.spec.template.spec.containers.map(({ name }) => name)).toEqual(["only"]);
    });

    it("merges finalizers as a set and removes from it", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "strategic" } as const;
      await client.create(configMaps, configMap({ namespace, name: "a", finalizers: ["example.com/a"] }));
      const merged = await client.patch(configMaps, { metadata: { finalizers: ["example.com/b"] } }, target);
      expect(merged.metadata.finalizers?.toSorted()).toEqual(["example.com/a", "example.com/b"]);
      const drop = { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } };
      expect((await client.patch(configMaps, drop, target)).metadata.finalizers).toEqual(["example.com/b"]);
    });

    it("merges service ports by port", async () => {
      const { client, namespace } = await sandbox(cluster());
      const ports = [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
      ];
      await client.create(services, {
        apiVersion: "v1",
        kind: "Service",
        metadata: { namespace, name: "a" },
        spec: { ports },
      });
      const patch = { spec: { ports: [{ port: 443, targetPort: 8443 }] } };
      const patched = await client.patch(services, patch, { namespace, name: "a", type: "strategic" });
      expect(patched).toMatchObject({
        spec: {
          ports: expect.arrayContaining([
            expect.objectContaining({ name: "http", port: 80, targetPort: 80 }),
            expect.objectContaining({ name: "https", port: 443, targetPort: 8443 }),
          ]),
        },
      });
    });

    it("is not understood for custom resources, whose other patches work", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }));
      const patch = { spec: { size: 2 } };
      const strategic = client.patch(widgets.ref, patch, { namespace, name: "a", type: "strategic" });
      await expect(strategic).rejects.toMatchObject({
        details: { httpStatus: 415, reason: "UnsupportedMediaType" },
      });
      expect(await client.patch(widgets.ref, patch, { namespace, name: "a", type: "merge" })).toMatchObject(
        patch,
      );
      const operations = [{ op: "replace", path: "/spec/size", value: 3 }];
      expect(
        await client.patch(widgets.ref, operations, { namespace, name: "a", type: "json" }),
      ).toMatchObject({
        spec: { size: 3 },
      });
    });
  });

  it("of an unknown type is refused", async () => {
    const { client, namespace } = await sandbox(cluster());
    await client.create(configMaps, configMap({ namespace, name: "a" }));
    const path = `/api/v1/namespaces/${namespace}/configmaps/a`;
    const request = { method: "PATCH", path, headers: { "content-type": "text/plain" }, body: "{}" } as const;
    await expect(client.requestJson(request)).rejects.toMatchObject({ details: { httpStatus: 415 } });
  });
}
