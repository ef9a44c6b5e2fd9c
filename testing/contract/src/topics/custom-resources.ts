import { resources, type KubeObject, type ResourceRef } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { collectionPath } from "../collection-path.ts";
import { RawWatch } from "../raw-watch.ts";
import { sandbox, uniqueName } from "../sandbox.ts";
import { minorVersion } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";
import { untilGone, untilIs } from "../until.ts";
import {
  installWidgets,
  isEstablished,
  widget,
  widgetDefinition,
  widgetVersion,
  type CustomResourceDefinition,
  type Widget,
} from "../widgets.ts";

const { customResourceDefinitions } = resources;

export function customResourcesContract(cluster: () => RunningTarget): void {
  describe("definitions", () => {
    it("are accepted, established and served", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const definition = await client.get(customResourceDefinitions, { name: widgets.crdName });
      expect(definition).toMatchObject({
        metadata: { generation: 1 },
        spec: { conversion: { strategy: "None" }, names: { listKind: "WidgetList" } },
        status: {
          acceptedNames: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
          storedVersions: ["v1"],
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: "NamesAccepted", status: "True", reason: "NoConflicts" }),
            expect.objectContaining({ type: "Established", status: "True", reason: "InitialNamesAccepted" }),
          ]),
        },
      });
      const list = await client.requestJson({ method: "GET", path: collectionPath(widgets.ref, namespace) });
      expect(list).toMatchObject({ kind: "WidgetList", apiVersion: `${widgets.group}/v1`, items: [] });
    });

    it("must be named after plural and group, and have a structural schema", async () => {
      const { client } = await sandbox(cluster());
      const group = `${uniqueName("contract")}.example.com`;
      const misnamed = { ...widgetDefinition(group), metadata: { name: `gadgets.${group}` } };
      await expect(client.create(customResourceDefinitions, misnamed)).rejects.toMatchObject({
        code: "Invalid",
        details: { causes: expect.arrayContaining([expect.objectContaining({ field: "metadata.name" })]) },
      });
      const untyped = {
        ...widgetVersion,
        schema: { openAPIV3Schema: { properties: { spec: { type: "object" } } } },
      };
      await expect(
        client.create(customResourceDefinitions, widgetDefinition(group, [untyped])),
      ).rejects.toMatchObject({
        code: "Invalid",
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ field: expect.stringMatching(/openAPIV3Schema\.type$/) }),
          ]),
        },
      });
    });

    it("take their objects along when they are deleted", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }));
      await client.delete(customResourceDefinitions, { name: widgets.crdName });
      await untilGone({ client, resource: customResourceDefinitions, name: widgets.crdName });
      // The handler goes a moment after the definition.
      const answer = (): Promise<unknown> =>
        client.list(widgets.ref, { namespace }).catch((error: unknown) => error);
      await expect.poll(answer).toMatchObject({ code: "NotFound" });
    });
  });

  describe("objects", () => {
    it("get defaults and lose what the schema does not know", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const spec = {
        size: 2,
        unknown: 1,
        free: { any: { thing: [1] } },
        ports: [{ name: "http", extra: 1 }],
      };
      const created = await client.create(widgets.ref, {
        ...widget(widgets, { namespace, name: "a" }, spec),
        extra: true,
      });
      expect(created.spec).toEqual({
        size: 2,
        color: "red",
        replicas: 1,
        free: { any: { thing: [1] } },
        ports: [{ name: "http", protocol: "TCP" }],
      });
      expect(created).not.toHaveProperty("extra");
      expect(await client.get(widgets.ref, { namespace, name: "a" })).toEqual(created);
    });

    it.each<[string, Record<string, unknown>, { field: string; reason: string; message: string }]>([
      [
        "a missing field",
        { size: undefined },
        { field: "spec.size", reason: "FieldValueRequired", message: "Required value" },
      ],
      [
        "a number too small",
        { size: 0 },
        {
          field: "spec.size",
          reason: "FieldValueInvalid",
          message: "in body should be greater than or equal to 1",
        },
      ],
      [
        "a number too large",
        { size: 11 },
        {
          field: "spec.size",
          reason: "FieldValueInvalid",
          message: "in body should be less than or equal to 10",
        },
      ],
      [
        "another type",
        { size: "big" },
        {
          field: "spec.size",
          reason: "FieldValueTypeInvalid",
          message: 'in body must be of type integer: "string"',
        },
      ],
      [
        "a value not listed",
        { color: "blue" },
        {
          field: "spec.color",
          reason: "FieldValueNotSupported",
          message: 'supported values: "red", "green"',
        },
      ],
      [
        "a pattern not met",
        { code: "A1" },
        { field: "spec.code", reason: "FieldValueInvalid", message: "in body should match '^[a-z]+$'" },
      ],
    ])("with %s are refused", async (_, spec, { field, reason: newestReason, message }) => {
      const { client, namespace } = await sandbox(cluster());
      const tellsTypes = (await minorVersion(client)) >= 24;
      const reason = tellsTypes ? newestReason : newestReason.replace("TypeInvalid", "Invalid");
      const widgets = await installWidgets(client);
      const created = client.create(widgets.ref, widget(widgets, { namespace, name: "a" }, spec));
      await expect(created).rejects.toMatchObject({
        code: "Invalid",
        message: expect.stringContaining(`Widget.${widgets.group} "a" is invalid`),
        details: { kind: "Widget", causes: [{ field, reason, message: expect.stringContaining(message) }] },
      });
    });

    it("are refused with every cause at once", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const created = client.create(
        widgets.ref,
        widget(widgets, { namespace, name: "a" }, { size: 0, color: "blue" }),
      );
      await expect(created).rejects.toMatchObject({
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ field: "spec.size" }),
            expect.objectContaining({ field: "spec.color" }),
          ]),
        },
      });
    });

    it("count generations by spec, and keep status apart", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const metadata = { namespace, name: "a" };
      const created = await client.create(widgets.ref, {
        ...widget(widgets, metadata),
        status: { phase: "Early" },
      });
      expect(created.metadata.generation).toBe(1);
      expect(created).not.toHaveProperty("status");
      const reported = await client.update<Widget>(
        widgets.ref,
        { ...created, spec: { size: 9 }, status: { phase: "Ready", unknown: 1 } },
        { subresource: "status" },
      );
      expect(reported).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 } });
      expect(reported.status).toEqual({ phase: "Ready" });
      const changed = await client.update<Widget>(widgets.ref, {
        ...reported,
        spec: { size: 3 },
        status: { phase: "Lost" },
      });
      expect(changed).toMatchObject({
        metadata: { generation: 2 },
        spec: { size: 3 },
        status: { phase: "Ready" },
      });
      const labelled = await client.patch(
        widgets.ref,
        { metadata: { labels: { a: "b" } } },
        { ...metadata, type: "merge" },
      );
      expect(labelled.metadata.generation).toBe(2);
    });

    it("need a version to be updated", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }));
      const blind = client.update(widgets.ref, widget(widgets, { namespace, name: "a" }, { size: 2 }));
      await expect(blind).rejects.toMatchObject({
        code: "Invalid",
        details: { causes: [{ field: "metadata.resourceVersion" }] },
      });
    });

    it("scale through their subresource", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }));
      const target = { namespace, name: "a", subresource: "scale" };
      const scale = await client.get(widgets.ref, target);
      expect(scale).toMatchObject({ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 1 } });
      await client.patch(widgets.ref, { spec: { replicas: 4 } }, { ...target, type: "merge" });
      expect(await client.get(widgets.ref, { namespace, name: "a" })).toMatchObject({
        spec: { replicas: 4 },
      });
    });

    it("are printed by the columns of their definition", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }, { size: 7 }));
      const table = await client.listTable(widgets.ref, { namespace });
      expect(table.columnDefinitions.map(({ name, type, priority }) => [name, type, priority])).toEqual([
        ["Name", "string", 0],
        ["Size", "integer", 0],
        ["Phase", "string", 0],
        ["Color", "string", 1],
        ["Age", "date", 0],
      ]);
      expect(table.rows[0]?.cells.slice(0, 4)).toEqual(["a", 7, null, "red"]);
    });

    it("are watched like any other", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const created = await client.create(widgets.ref, widget(widgets, { namespace, name: "a" }));
      using watch = await RawWatch.open(client, widgets.ref, { namespace, query: { resourceVersion: "0" } });
      expect(await watch.take(1)).toEqual([{ type: "ADDED", object: created }]);
    });
  });

  describe("several versions", () => {
    it("show the same object under each", async () => {
      const { client, namespace } = await sandbox(cluster());
      const older = { ...widgetVersion, name: "v1beta1", storage: false };
      const retired = { ...widgetVersion, name: "v1alpha1", storage: false, served: false };
      const widgets = await installWidgets(client, [retired, older, widgetVersion]);
      const beta: ResourceRef = { ...widgets.ref, version: "v1beta1" };
      const made = { ...widget(widgets, { namespace, name: "a" }), apiVersion: `${widgets.group}/v1beta1` };
      const created = await client.create<KubeObject>(beta, made);
      expect(created.apiVersion).toBe(`${widgets.group}/v1beta1`);
      const stored = await client.get(widgets.ref, { namespace, name: "a" });
      expect(stored.apiVersion).toBe(`${widgets.group}/v1`);
      expect(stored.metadata.uid).toBe(created.metadata.uid);
      const alpha: ResourceRef = { ...widgets.ref, version: "v1alpha1" };
      await expect(client.get(alpha, { namespace, name: "a" })).rejects.toMatchObject({ code: "NotFound" });
    });

    it("can be served later", async () => {
      const { client, namespace } = await sandbox(cluster());
      const widgets = await installWidgets(client);
      const next = { ...widgetVersion, name: "v2", storage: false };
      const name = widgets.crdName;
      await client.patch(
        customResourceDefinitions,
        { spec: { versions: [widgetVersion, next] } },
        { name, type: "merge" },
      );
      await untilIs<CustomResourceDefinition>(
        { client, resource: customResourceDefinitions, name },
        isEstablished,
      );
      const v2: ResourceRef = { ...widgets.ref, version: "v2" };
      await expect
        .poll(() => client.list(v2, { namespace }).then(({ kind }) => kind, String))
        .toBe("WidgetList");
    });
  });
}
