import { BowlineError } from "@bowline/core";
import { resources, type KubeObject, type ManagedFieldsEntry } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, deployment, pod, type ConfigMap, type Workload } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { minorVersion } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps, deployments, pods } = resources;

export function applyContract(cluster: () => RunningTarget): void {
  describe("one manager", () => {
    it("creates what is not there, and owns what it said", async () => {
      const space = await sandbox(cluster());
      const applied = await applyData(space, "one", { key: "value" });
      expect(applied.data).toEqual({ key: "value" });
      const [entry] = applied.metadata.managedFields ?? [];
      expect(entry).toEqual({
        manager: "one",
        operation: "Apply",
        apiVersion: "v1",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:key": {} } },
      });
    });

    it("changes nothing by applying the same again", async () => {
      const space = await sandbox(cluster());
      const applied = await applyData(space, "one", { key: "value" });
      const again = await applyData(space, "one", { key: "value" });
      expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
      expect(again).toEqual(applied);
    });

    it("removes what it no longer says", async () => {
      const space = await sandbox(cluster());
      await applyData(space, "one", { keep: "1", drop: "1" });
      expect((await applyData(space, "one", { keep: "2" })).data).toEqual({ keep: "2" });
    });

    it("removes an object with what was filled in, where the server knows how to", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.apply(deployments, probed(namespace, { exec: { command: ["true"] } }), {
        fieldManager: "one",
      });
      const isNew = (await minorVersion(client)) > 20;
      const left = client.apply<KubeObject>(deployments, probed(namespace), { fieldManager: "one" });
      const outcome = await left.then(probeOf, (error: unknown) => BowlineError.from(error).code);
      // Old servers keep the numbers, and then miss what was to be probed.
      expect(outcome).toBe(isNew ? undefined : "Invalid");
    });

    it("must say who it is, and must not bring managedFields", async () => {
      const { client, namespace } = await sandbox(cluster());
      const path = `/api/v1/namespaces/${namespace}/configmaps/a`;
      const headers = { "content-type": "application/apply-patch+yaml" };
      const send = (query: string, object: KubeObject): Promise<object> =>
        client.requestJson({
          method: "PATCH",
          path: `${path}${query}`,
          headers,
          body: JSON.stringify(object),
        });
      await expect(send("", configMap({ namespace, name: "a" }))).rejects.toMatchObject({
        details: { httpStatus: expect.toSatisfy((status: number) => status === 400 || status === 422) },
      });
      const managedFields: ManagedFieldsEntry[] = [
        { manager: "one", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} },
      ];
      await expect(
        send("?fieldManager=one", configMap({ namespace, name: "a", managedFields })),
      ).rejects.toMatchObject({
        code: "BadRequest",
        message: expect.stringContaining("metadata.managedFields must be nil"),
      });
    });

    it("can be tried without effect", async () => {
      const space = await sandbox(cluster());
      const object = configMap({ namespace: space.namespace, name: "a" }, { key: "value" });
      const dry = await space.client.apply(configMaps, object, { fieldManager: "one", dryRun: true });
      expect(dry.data).toEqual({ key: "value" });
      const get = space.client.get(configMaps, { namespace: space.namespace, name: "a" });
      await expect(get).rejects.toMatchObject({ code: "NotFound" });
    });
  });

  describe("several managers", () => {
    it("own different fields in peace", async () => {
      const space = await sandbox(cluster());
      await applyData(space, "one", { a: "1" });
      const both = await applyData(space, "two", { b: "2" });
      expect(both.data).toEqual({ a: "1", b: "2" });
      expect(managers(both)).toEqual(["one", "two"]);
      expect((await applyData(space, "one", {})).data).toEqual({ b: "2" });
    });

    it("cannot change each other's fields, and are told whose they are", async () => {
      const space = await sandbox(cluster());
      await applyData(space, "one", { a: "1", b: "1" });
      await expect(applyData(space, "two", { a: "2", b: "2" })).rejects.toMatchObject({
        code: "FieldConflict",
        message: expect.stringContaining('"one" owns .data.a, .data.b'),
        details: {
          httpStatus: 409,
          reason: "Conflict",
          causes: [
            {
              reason: "FieldManagerConflict",
              field: ".data.a",
              message: expect.stringContaining('conflict with "one"'),
            },
            {
              reason: "FieldManagerConflict",
              field: ".data.b",
              message: expect.stringContaining('conflict with "one"'),
            },
          ],
          conflicts: [
            { manager: "one", field: ".data.a" },
            { manager: "one", field: ".data.b" },
          ],
        },
      });
    });

    it("take a field over by force", async () => {
      const space = await sandbox(cluster());
      await applyData(space, "one", { a: "1", b: "1" });
      const forced = await applyData(space, "two", { a: "2" }, { force: true });
      expect(forced.data).toEqual({ a: "2", b: "1" });
      expect(fieldsOf(forced, "one")).toEqual({ "f:data": { "f:b": {} } });
      expect(fieldsOf(forced, "two")).toEqual({ "f:data": { "f:a": {} } });
      await expect(applyData(space, "one", { a: "1", b: "1" })).rejects.toMatchObject({
        code: "FieldConflict",
      });
    });

    it("share a field they agree on, and it stays until the last lets go", async () => {
      const space = await sandbox(cluster());
      await applyData(space, "one", { a: "1" });
      const shared = await applyData(space, "two", { a: "1" });
      expect(fieldsOf(shared, "one")).toEqual(fieldsOf(shared, "two"));
      expect((await applyData(space, "one", {})).data).toEqual({ a: "1" });
      expect((await applyData(space, "two", {})).data ?? {}).toEqual({});
    });

    it("count a plain update as a manager too", async () => {
      const { client, namespace } = await sandbox(cluster());
      const space = { client, namespace };
      await client.create(configMaps, configMap({ namespace, name: "a" }, { a: "1" }), {
        fieldManager: "editor",
      });
      await expect(applyData(space, "one", { a: "2" })).rejects.toMatchObject({
        code: "FieldConflict",
        details: { conflicts: [{ manager: "editor", field: ".data.a" }] },
      });
      const patch = { data: { b: "1" } };
      const patched = await client.patch(configMaps, patch, {
        namespace,
        name: "a",
        type: "merge",
        fieldManager: "patcher",
      });
      expect(patched.metadata.managedFields).toContainEqual(
        expect.objectContaining({
          manager: "patcher",
          operation: "Update",
          fieldsV1: { "f:data": { "f:b": {} } },
        }),
      );
    });

    it("do not own what the server decides", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = await client.create(pods, pod({ namespace, name: "a" }), { fieldManager: "maker" });
      expect(created).toMatchObject({
        spec: { tolerations: expect.any(Array) },
        status: { phase: "Pending" },
      });
      const owned = fieldsOf(created, "maker");
      expect(owned).toHaveProperty(["f:spec", "f:restartPolicy"]);
      expect(owned).not.toHaveProperty(["f:spec", "f:tolerations"]);
      expect(owned).not.toHaveProperty(["f:status"]);
    });

    it("are all forgotten by a list with one empty entry, and cannot be in the way then", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const { metadata } = await applyData(space, "one", { a: "1" });
      const patch = [
        { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
        { op: "replace", path: "/metadata/managedFields", value: [{}] },
      ];
      const reset = await client.patch(configMaps, patch, { namespace, name: "a", type: "json" });
      expect(managers(reset)).toEqual([]);
      const again = client.patch(configMaps, patch, { namespace, name: "a", type: "json" });
      await expect(again).rejects.toMatchObject({ code: "Invalid" });
      expect((await applyData(space, "two", { b: "2" })).data).toEqual({ a: "1", b: "2" });
    });

    it("take a field by force only from the version of the object that they have seen", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const seen = await applyData(space, "one", { a: "1" });
      await applyData(space, "one", { a: "2" });
      const object = configMap({ namespace, name: "a" }, { a: "3" });
      const force = (resourceVersion: string | undefined): Promise<KubeObject> =>
        client.apply(configMaps, object, {
          fieldManager: "two",
          force: true,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        });
      await expect(force(seen.metadata.resourceVersion)).rejects.toMatchObject({ code: "Conflict" });
      const now = await client.get(configMaps, { namespace, name: "a" });
      expect(await force(now.metadata.resourceVersion)).toMatchObject({ data: { a: "3" } });
    });

    it("lose a field to whoever updates it", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await applyData(space, "one", { a: "1", b: "1" });
      const patch = { data: { a: "2" } };
      const edited = await client.patch(configMaps, patch, {
        namespace,
        name: "a",
        type: "merge",
        fieldManager: "editor",
      });
      expect(fieldsOf(edited, "one")).toEqual({ "f:data": { "f:b": {} } });
      await expect(applyData(space, "one", { a: "1", b: "1" })).rejects.toMatchObject({
        code: "FieldConflict",
        details: { conflicts: [{ manager: "editor", field: ".data.a" }] },
      });
    });
  });

  describe("lists", () => {
    it("with keys are merged, each manager owning its own entries", async () => {
      const { client, namespace } = await sandbox(cluster());
      const made = deployment({ namespace, name: "a" }, 0);
      await client.apply(deployments, made, { fieldManager: "one" });
      const sidecar = {
        ...made,
        spec: { template: { spec: { containers: [{ name: "side", image: "side:1" }] } } },
      };
      const both = await client.apply<KubeObject>(deployments, sidecar, { fieldManager: "two" });
      expect(both).toMatchObject({
        spec: { template: { spec: { containers: [{ name: "web" }, { name: "side" }] } } },
      });
      expect(fieldsOf(both, "two")).toEqual({
        "f:spec": {
          "f:template": {
            "f:spec": { "f:containers": { 'k:{"name":"side"}': { ".": {}, "f:image": {}, "f:name": {} } } },
          },
        },
      });
      const without = await client.apply<KubeObject>(
        deployments,
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name: "a" } },
        { fieldManager: "two" },
      );
      expect(without).toMatchObject({ spec: { template: { spec: { containers: [{ name: "web" }] } } } });
      expect(managers(without)).not.toContain("two");
    });

    it("of custom resources follow their schema", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const ports = (name: string, port: number): object => ({ ports: [{ name, port }] });
      const metadata = { namespace, name: "a" };
      await client.apply(widgets.ref, widget(widgets, metadata, { ...ports("http", 80), tags: ["x"] }), {
        fieldManager: "one",
      });
      const mine = { apiVersion: `${widgets.group}/v1`, kind: "Widget", metadata, spec: ports("dns", 53) };
      const both = await client.apply<KubeObject>(widgets.ref, mine, { fieldManager: "two" });
      expect(both).toMatchObject({
        spec: {
          size: 1,
          ports: [
            { name: "http", port: 80, protocol: "TCP" },
            { name: "dns", port: 53, protocol: "TCP" },
          ],
        },
      });
      const tags = { ...mine, spec: { tags: ["y"] } };
      await expect(client.apply(widgets.ref, tags, { fieldManager: "two" })).rejects.toMatchObject({
        code: "FieldConflict",
        details: { conflicts: [{ manager: "one", field: ".spec.tags" }] },
      });
    });

    it("of finalizers are sets", async () => {
      const { client, namespace } = await sandbox(cluster());
      const withFinalizer = (finalizer: string, fieldManager: string): Promise<KubeObject> => {
        // Without data: to newer servers even an empty map is a field, and two would want to own it.
        const metadata = { namespace, name: "a", finalizers: [finalizer] };
        return client.apply<KubeObject>(
          configMaps,
          { apiVersion: "v1", kind: "ConfigMap", metadata },
          { fieldManager },
        );
      };
      await withFinalizer("example.com/a", "one");
      const both = await withFinalizer("example.com/b", "two");
      expect(both.metadata.finalizers).toEqual(["example.com/a", "example.com/b"]);
      expect(fieldsOf(both, "two")).toMatchObject({
        "f:metadata": { "f:finalizers": { 'v:"example.com/b"': {} } },
      });
    });
  });

  describe("status", () => {
    it("is applied through its subresource", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const metadata = { namespace, name: "a" };
      const status = { phase: "Ready", conditions: [{ type: "Ready", status: "True" }] };
      await client.apply(widgets.ref, widget(widgets, metadata), { fieldManager: "one" });
      const reported = await client.apply<KubeObject>(
        widgets.ref,
        { apiVersion: `${widgets.group}/v1`, kind: "Widget", metadata, status },
        { fieldManager: "controller", subresource: "status" },
      );
      expect(reported).toMatchObject({ spec: { size: 1 }, status, metadata: { generation: 1 } });
      expect(fieldsOf(reported, "controller")).toMatchObject({
        "f:status": { "f:phase": {}, "f:conditions": { 'k:{"type":"Ready"}': {} } },
      });
    });
  });
}

/** A Deployment whose container may have a probe. */
function probed(namespace: string, readinessProbe?: unknown): KubeObject {
  const made = deployment({ namespace, name: "a" }, 0);
  const [container] = made.spec.template.spec.containers;
  const containers = [{ ...container, ...(readinessProbe === undefined ? {} : { readinessProbe }) }];
  return { ...made, spec: { ...made.spec, template: { ...made.spec.template, spec: { containers } } } };
}

function probeOf(object: KubeObject): unknown {
  const { spec } = object as Workload;
  return spec.template.spec.containers[0]?.["readinessProbe"];
}

function applyData(
  { client, namespace }: Sandbox,
  fieldManager: string,
  data: Record<string, string>,
  options: { readonly force?: boolean } = {},
): Promise<ConfigMap> {
  return client.apply(configMaps, configMap({ namespace, name: "a" }, data), { fieldManager, ...options });
}

function fieldsOf(object: KubeObject, manager: string): unknown {
  return object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
}

function managers(object: KubeObject): string[] {
  return (object.metadata.managedFields ?? []).map(({ manager = "" }) => manager).toSorted();
}
