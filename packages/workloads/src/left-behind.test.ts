import { resources, type KubeObject } from "@bowline/kube";
import type { ManifestObject } from "@bowline/manifests";
import { describe, expect, test } from "vitest";

import { startTestCluster, type TestCluster } from "./testing/test-cluster.ts";

const { deployments } = resources;
const probe = { readinessProbe: { exec: { command: ["false"] }, periodSeconds: 1 } };

function web(container: object, pod: object = {}): ManifestObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { ...pod, containers: [{ name: "main", image: "nginx:1", ...container }] },
      },
    },
  };
}

interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly Readonly<Record<string, unknown>>[];
        readonly volumes?: readonly unknown[];
      };
    };
  };
}

const liveWeb = ({ client }: TestCluster): Promise<Deployment> =>
  client.get<Deployment>(deployments, { namespace: "shop", name: "web" });

const managersOf = ({ metadata }: KubeObject): unknown[] =>
  (metadata.managedFields ?? []).map(({ manager, operation }) => [manager, operation]);

const writes = (cluster: TestCluster): string[] =>
  cluster.transport.take().filter((line) => line.startsWith("PATCH") && !line.includes("dryRun"));

describe.each(["v1.20.2", "v1.36.4"])("in Kubernetes %s", (version) => {
  const isOld = version === "v1.20.2";
  const start = (): Promise<TestCluster> => startTestCluster({ version, controllers: false });

  test("a probe that is taken out of the manifest goes, by one change of the object", async () => {
    const cluster = await start();
    await cluster.reconcile([web(probe)]);
    cluster.transport.take();
    const result = await cluster.reconcile([web({ image: "nginx:2" })]);
    expect(result.objects).toMatchObject([{ state: "applied" }]);
    // A patch, the apply, and the patch's own entry under the managers taken away.
    expect(writes(cluster)).toHaveLength(isOld ? 3 : 1);
    const live = await liveWeb(cluster);
    expect(live.spec.template.spec.containers).toMatchObject([{ image: "nginx:2" }]);
    expect(live.spec.template.spec.containers[0]).not.toHaveProperty("readinessProbe");
    expect(live.metadata.generation).toBe(2);
    expect(managersOf(live)).toEqual([["bowline", "Apply"]]);
    // Nothing is left that looks like somebody else's change.
    const [item] = await cluster.inventory();
    const again = await cluster.reconcile([web({ image: "nginx:2" })], { verify: true });
    expect(again.objects[0]?.digest).toBe(item?.digest);
  });

  test("a volume becomes another one, where both at once are not valid", async () => {
    const cluster = await start();
    const withVolume = (source: object): ManifestObject =>
      web({}, { volumes: [{ name: "files", ...source }] });
    await cluster.reconcile([withVolume({ secret: { secretName: "a" } })]);
    const result = await cluster.reconcile([withVolume({ configMap: { name: "b" } })]);
    expect(result.objects).toMatchObject([{ state: "applied" }]);
    const live = await liveWeb(cluster);
    expect(live.spec.template.spec.volumes).toEqual([
      { name: "files", configMap: { name: "b", defaultMode: 420 } },
    ]);
    expect(live.metadata.generation).toBe(2);
  });

  test("a probe goes that kubectl had made, with what was filled in for it", async () => {
    const cluster = await start();
    const made = web(probe);
    await cluster.client.create(
      deployments,
      { ...made, metadata: { name: "web", namespace: "shop" } },
      { fieldManager: "kubectl-create" },
    );
    await cluster.reconcile([web(probe)]);
    const result = await cluster.reconcile([web({})]);
    expect(result.objects).toMatchObject([{ state: "applied" }]);
    const [container] = (await liveWeb(cluster)).spec.template.spec.containers;
    expect(container).not.toHaveProperty("readinessProbe");
  });

  test("a probe of which a program owns a part is not removed, and the cluster says what is wrong", async () => {
    const cluster = await start();
    await cluster.reconcile([web(probe)]);
    const spec = { containers: [{ name: "main", readinessProbe: { timeoutSeconds: 7 } }] };
    await cluster.client.patch(
      deployments,
      { spec: { template: { spec } } },
      { type: "strategic", namespace: "shop", name: "web", fieldManager: "some-operator" },
    );
    const result = await cluster.reconcile([web({})]);
    expect(result.objects).toMatchObject([
      { state: "failed", reason: "Invalid", message: expect.stringContaining("must specify a handler type") },
    ]);
    const [container] = (await liveWeb(cluster)).spec.template.spec.containers;
    expect(container).toMatchObject({ readinessProbe: { timeoutSeconds: 7 } });
  });

  test("fields of programs are conflicts as ever", async () => {
    const cluster = await start();
    await cluster.reconcile([web(probe)]);
    const spec = { containers: [{ name: "main", image: "operator:1" }] };
    await cluster.client.patch(
      deployments,
      { spec: { template: { spec } } },
      { type: "strategic", namespace: "shop", name: "web", fieldManager: "some-operator" },
    );
    const result = await cluster.reconcile([web({ image: "nginx:2" })]);
    expect(result.objects).toMatchObject([{ state: "failed", reason: "FieldConflict" }]);
    const leave = await cluster.workload([web({ image: "nginx:2" })], { policy: { conflicts: "leave" } });
    expect((await cluster.reconcile(leave)).objects).toMatchObject([{ state: "applied" }]);
    const [container] = (await liveWeb(cluster)).spec.template.spec.containers;
    expect(container).toMatchObject({ image: "operator:1" });
    expect(container).not.toHaveProperty("readinessProbe");
  });

  test("a diff tells what would go, and nothing goes", async () => {
    const cluster = await start();
    await cluster.reconcile([web(probe)]);
    const before = await liveWeb(cluster);
    const workload = await cluster.workload([web({ image: "nginx:2" })]);
    const { objects } = await cluster.engine().diff(workload, { signal: new AbortController().signal });
    expect(objects).toMatchObject([{ change: "changed" }]);
    expect(JSON.stringify(objects[0]?.before)).toContain("readinessProbe");
    expect(JSON.stringify(objects[0]?.after)).not.toContain("readinessProbe");
    expect(await liveWeb(cluster)).toEqual(before);
  });

  test("of a custom resource nothing stays that its definition filled in", async () => {
    const cluster = await start();
    const boat = (spec: NonNullable<ManifestObject["spec"]>): ManifestObject => ({
      apiVersion: "example.com/v1",
      kind: "Boat",
      metadata: { name: "dinghy" },
      spec,
    });
    await cluster.reconcile([definition, boat({ sails: 1, engine: { fuel: "diesel" } })]);
    const live = (): unknown => cluster.sim.api.get("boats.example.com", "shop", "dinghy")?.["spec"];
    expect(live()).toEqual({ sails: 1, engine: { fuel: "diesel", cylinders: 2 } });
    const result = await cluster.reconcile([definition, boat({ sails: 2 })]);
    expect(result.isApplied).toBe(true);
    expect(live()).toEqual({ sails: 2 });
  });
});

const definition: ManifestObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Boat", plural: "boats", singular: "boat", listKind: "BoatList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  sails: { type: "integer" },
                  engine: {
                    type: "object",
                    properties: { fuel: { type: "string" }, cylinders: { type: "integer", default: 2 } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
