import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ApiClient, itemNames } from "../api/testing/api-client.ts";
import { startKubesim, type Kubesim } from "../kubesim.ts";

let sim: Kubesim;
let client: ApiClient;

beforeEach(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  client = new ApiClient(sim);
});
afterEach(() => sim.stop());

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";

function definition(): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: {
                    size: { type: "integer", maximum: 10 },
                    color: { type: "string", default: "red" },
                  },
                },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
        {
          name: "v1beta1",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
}

const widget = (name: string, spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

async function establish(): Promise<void> {
  await client.post(definitions, definition());
  await expect.poll(async () => (await client.get(widgets)).status).toBe(200);
}

describe("a CustomResourceDefinition", () => {
  it("is accepted and served within moments", async () => {
    await establish();
    const stored = await client.get(`${definitions}/widgets.example.com`);
    expect(stored.at("status")).toMatchObject({
      conditions: [
        { type: "NamesAccepted", status: "True" },
        { type: "Established", status: "True" },
      ],
      acceptedNames: { kind: "Widget", plural: "widgets" },
      storedVersions: ["v1"],
    });
    const discovered = await client.get("/apis/example.com/v1");
    expect(discovered.at("resources")).toMatchObject([
      { name: "widgets", kind: "Widget", shortNames: ["wd"], namespaced: true },
      { name: "widgets/scale", kind: "Scale", group: "autoscaling", version: "v1" },
      { name: "widgets/status", kind: "Widget" },
    ]);
    expect((await client.get("/apis/example.com")).at("preferredVersion.version")).toBe("v1");
  });

  it("prunes, fills in and checks its objects", async () => {
    await establish();
    const made = await client.post(widgets, widget("a", { size: 3, other: true }));
    expect(made.at("spec")).toEqual({ size: 3, color: "red" });
    const large = await client.post(widgets, widget("b", { size: 11 }));
    expect(large.status).toBe(422);
    expect(large.at("details")).toMatchObject({
      name: "b",
      group: "example.com",
      kind: "Widget",
      causes: [{ reason: "FieldValueInvalid", field: "spec.size" }],
    });
    const missing = await client.post(widgets, widget("c", {}));
    expect(missing.at("message")).toBe('Widget.example.com "c" is invalid: spec.size: Required value');
  });

  it("keeps status and spec apart and counts generations", async () => {
    await establish();
    await client.post(widgets, { ...widget("a", { size: 3 }), status: { size: 1 } });
    const status = await client.patch(`${widgets}/a/status`, "merge", {
      spec: { size: 9 },
      status: { size: 3 },
    });
    expect(status.body).toMatchObject({
      metadata: { generation: 1 },
      spec: { size: 3 },
      status: { size: 3 },
    });
    const spec = await client.patch(`${widgets}/a`, "merge", { spec: { size: 4 }, status: { size: 0 } });
    expect(spec.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 4 }, status: { size: 3 } });
    const scaled = await client.patch(`${widgets}/a/scale`, "merge", { spec: { replicas: 6 } });
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 6 }, status: { replicas: 3 } });
  });

  it("serves each object in every version", async () => {
    await establish();
    await client.post(widgets, widget("a", { size: 3 }));
    const old = await client.get("/apis/example.com/v1beta1/namespaces/default/widgets/a");
    expect(old.body).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { size: 3 } });
    expect((await client.get("/apis/example.com/v1beta1/namespaces/default/widgets/a/status")).status).toBe(
      404,
    );
  });

  it("prints its columns", async () => {
    await establish();
    await client.post(widgets, widget("a", { size: 3 }));
    await client.patch(`${widgets}/a/status`, "merge", {
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    const table = await client.get(widgets, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    expect(table.at("rows")).toMatchObject([{ cells: ["a", 3, "True"] }]);
  });

  it("refuses strategic patches and blind updates of its objects", async () => {
    await establish();
    await client.post(widgets, widget("a", { size: 3 }));
    expect((await client.patch(`${widgets}/a`, "strategic", {})).status).toBe(415);
    expect((await client.put(`${widgets}/a`, widget("a", { size: 4 }))).status).toBe(422);
  });

  it("takes its objects along when it goes", async () => {
    await establish();
    await client.post(widgets, widget("a", { size: 3 }));
    await client.post(widgets, {
      ...widget("held", { size: 3 }),
      metadata: { name: "held", finalizers: ["x.y/z"] },
    });
    await client.delete(`${definitions}/widgets.example.com`);
    await expect.poll(async () => itemNames(await client.get(widgets))).toEqual(["held"]);
    await client.patch(`${widgets}/held`, "merge", { metadata: { finalizers: null } });
    await expect.poll(async () => (await client.get(widgets)).status).toBe(404);
    expect((await client.get(`${definitions}/widgets.example.com`)).status).toBe(404);
  });
});
