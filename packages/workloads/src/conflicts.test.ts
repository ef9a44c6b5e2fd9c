import { resources, type KubeObject } from "@bowline/kube";
import type { ManifestObject } from "@bowline/manifests";
import { describe, expect, test } from "vitest";

import { configMaps, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";

const deployment = (fields: {
  readonly replicas?: number;
  readonly image?: string;
  readonly app?: string;
  readonly annotations?: Record<string, string>;
}): ManifestObject => {
  const { replicas, image = "nginx:1", app = "web", annotations = {} } = fields;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", annotations },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: "main", image }] },
      },
    },
  };
};

const data = (values: Record<string, string>): ManifestObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data: values,
});

/** Somebody changes an object by hand or by program. */
function edit(cluster: TestCluster, patch: object, fieldManager: string): Promise<KubeObject> {
  const how = { type: "merge", namespace: "shop", name: "a", fieldManager } as const;
  return cluster.client.patch(resources.configMaps, patch, how);
}

const applyAs = (
  cluster: TestCluster,
  fieldManager: string,
  values: Record<string, string>,
): Promise<KubeObject> =>
  cluster.client.apply(
    resources.configMaps,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" }, data: values },
    { fieldManager },
  );

const liveData = (cluster: TestCluster): unknown => cluster.sim.api.get("configmaps", "shop", "a")?.["data"];

const managersOf = (cluster: TestCluster): string[] =>
  (cluster.sim.api.get("configmaps", "shop", "a")?.metadata.managedFields ?? []).map((entry) =>
    String((entry as { manager?: string }).manager),
  );

describe("fields that are somebody else's", () => {
  test.each(["kubectl", "kubectl-client-side-apply", "kubectl-edit", "helm", "Helm", "before-first-apply"])(
    "are taken over from %s",
    async (manager) => {
      const cluster = await startTestCluster();
      await applyAs(cluster, manager, { x: "theirs", y: "same", z: "only theirs" });
      const result = await cluster.reconcile([data({ x: "ours", y: "same" })]);
      expect(result).toMatchObject({ isApplied: true });
      expect(liveData(cluster)).toEqual({ x: "ours", y: "same", z: "only theirs" });
      // What both agreed on is ours alone from then on: taken out of the manifest, it goes.
      await cluster.reconcile([data({ x: "ours" })]);
      expect(liveData(cluster)).toEqual({ x: "ours", z: "only theirs" });
      expect(managersOf(cluster).toSorted()).toEqual(["bowline", manager].toSorted());
    },
  );

  test("of a program are told by manager and field, and stay as they are", async () => {
    const cluster = await startTestCluster();
    await applyAs(cluster, "some-operator", { x: "theirs" });
    const result = await cluster.reconcile([data({ x: "ours" }), ...configMaps("b")]);
    expect(result.objects).toMatchObject([
      {
        name: "a",
        state: "failed",
        reason: "FieldConflict",
        conflicts: [{ manager: "some-operator", field: ".data.x" }],
        message: expect.stringContaining('"some-operator" has set .data.x'),
      },
      { name: "b", state: "applied" },
    ]);
    expect(liveData(cluster)).toEqual({ x: "theirs" });
  });

  test("are taken over from a tool that had the object before and is named, and from no other", async () => {
    const cluster = await startTestCluster();
    const taking = (values: Record<string, string>) =>
      cluster.workload([data(values)], { policy: { takeoverFrom: ["argocd-controller"] } });
    await applyAs(cluster, "argocd-controller", { x: "same", y: "same", z: "only theirs" });
    await applyAs(cluster, "some-operator", { w: "theirs" });
    expect(await cluster.reconcile(await taking({ x: "same", y: "same" }))).toMatchObject({
      isApplied: true,
    });
    // What both had is ours alone: the next change is no conflict, and what is taken out goes.
    expect(await cluster.reconcile(await taking({ x: "ours" }))).toMatchObject({ isApplied: true });
    expect(liveData(cluster)).toEqual({ x: "ours", z: "only theirs", w: "theirs" });
    const refused = await cluster.reconcile(await taking({ x: "ours", w: "ours" }));
    expect(refused.objects[0]?.conflicts).toEqual([{ manager: "some-operator", field: ".data.w" }]);
    const unnamed = await startTestCluster();
    await applyAs(unnamed, "argocd-controller", { x: "same" });
    await unnamed.reconcile([data({ x: "same" })]);
    const { objects } = await unnamed.reconcile([data({ x: "ours" })]);
    expect(objects[0]).toMatchObject({
      reason: "FieldConflict",
      message: expect.stringContaining("To take them: name the manager under takeoverFrom."),
    });
  });

  test("of kubectl and of a program together: nothing is taken", async () => {
    const cluster = await startTestCluster();
    await applyAs(cluster, "kubectl", { x: "theirs" });
    await applyAs(cluster, "some-operator", { y: "theirs" });
    const result = await cluster.reconcile([data({ x: "ours", y: "ours" })]);
    expect(result.objects[0]?.conflicts).toEqual([{ manager: "some-operator", field: ".data.y" }]);
    expect(liveData(cluster)).toEqual({ x: "theirs", y: "theirs" });
  });

  test("are taken from nobody where the policy is fail, and left where it is leave", async () => {
    const cluster = await startTestCluster();
    await applyAs(cluster, "kubectl", { x: "theirs" });
    const fail = await cluster.workload([data({ x: "ours", y: "new" })], { policy: { conflicts: "fail" } });
    expect((await cluster.reconcile(fail)).objects[0]).toMatchObject({
      state: "failed",
      conflicts: [{ manager: "kubectl", field: ".data.x" }],
    });
    const leave = await cluster.workload([data({ x: "ours", y: "new" })], { policy: { conflicts: "leave" } });
    expect(await cluster.reconcile(leave)).toMatchObject({ isApplied: true });
    expect(liveData(cluster)).toEqual({ x: "theirs", y: "new" });
  });

  test("are not taken by force from somebody who comes in between", async () => {
    const cluster = await startTestCluster();
    await applyAs(cluster, "kubectl", { x: "theirs" });
    let isFirst = true;
    cluster.transport.answer = (request) => {
      if (!request.path.includes("force=true") || !isFirst) return undefined;
      isFirst = false;
      return edit(cluster, { data: { x: "operator's" } }, "some-operator").then(() =>
        cluster.client.transport.request(request),
      );
    };
    const result = await cluster.reconcile([data({ x: "ours" })]);
    expect(result.objects[0]).toMatchObject({ state: "failed", reason: "FieldConflict" });
    expect(liveData(cluster)).toEqual({ x: "operator's" });
  });

  test("are ours alone also when somebody writes the object between the apply and that", async () => {
    const cluster = await startTestCluster();
    await applyAs(cluster, "kubectl", { x: "same", y: "same" });
    let isFirst = true;
    cluster.transport.answer = (request) => {
      if (!request.body?.toString().includes("managedFields") || !isFirst) return undefined;
      isFirst = false;
      return edit(cluster, { data: { status: "busy" } }, "some-operator").then(() =>
        cluster.client.transport.request(request),
      );
    };
    await cluster.reconcile([data({ x: "same", y: "same" })]);
    expect(isFirst).toBe(false);
    await cluster.reconcile([data({ x: "same" })]);
    expect(liveData(cluster)).toEqual({ x: "same", status: "busy" });
  });

  test("that are named under ignore are left to others, and never removed by leaving them out", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([data({ "a.b.c": "1", y: "1" })]);
    const ignore = [{ kind: "ConfigMap", name: "a", paths: ["data.a.b.c"] }];
    const ignoring = (value: string) =>
      cluster.workload([data({ "a.b.c": value, y: "2" })], { policy: { ignore } });
    await cluster.reconcile(await ignoring("2"));
    expect(liveData(cluster)).toEqual({ "a.b.c": "1", y: "2" });
    await edit(cluster, { data: { "a.b.c": "5" } }, "some-operator");
    expect(await cluster.reconcile(await ignoring("3"), { verify: true })).toMatchObject({ isApplied: true });
    expect(liveData(cluster)).toEqual({ "a.b.c": "5", y: "2" });
  });
});

describe("replicas", () => {
  const hpa = {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  };
  const replicasOf = (cluster: TestCluster): unknown => {
    const spec = cluster.sim.api.get("deployments.apps", "shop", "web")?.["spec"];
    return (spec as { replicas?: number } | undefined)?.replicas;
  };
  const scale = (cluster: TestCluster, replicas: number): Promise<KubeObject> =>
    cluster.client.patch(
      resources.deployments,
      { spec: { replicas } },
      {
        type: "merge",
        namespace: "shop",
        name: "web",
        fieldManager: "kube-controller-manager",
      },
    );

  test("are left to an autoscaler of the same revision", async () => {
    const cluster = await startTestCluster();
    const { namespace: _, ...metadata } = hpa.metadata;
    const scaled = { ...hpa, metadata };
    expect(await cluster.reconcile([deployment({ replicas: 3 }), scaled])).toMatchObject({ isApplied: true });
    await scale(cluster, 7);
    const next = await cluster.reconcile([deployment({ replicas: 4, image: "nginx:2" }), scaled]);
    expect(next).toMatchObject({ isApplied: true });
    expect(replicasOf(cluster)).toBe(7);
  });

  test("are left to an autoscaler that is in the cluster, from the moment that it is there", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([deployment({ replicas: 3 })]);
    expect(replicasOf(cluster)).toBe(3);
    cluster.sim.api.create("horizontalpodautoscalers.autoscaling", hpa);
    // Still ours, and not sent: that would set them to 1.
    await cluster.reconcile([deployment({ replicas: 3, image: "nginx:2" })]);
    expect(replicasOf(cluster)).toBe(3);
    await scale(cluster, 7);
    expect(await cluster.reconcile([deployment({ replicas: 4, image: "nginx:3" })])).toMatchObject({
      isApplied: true,
    });
    expect(replicasOf(cluster)).toBe(7);
  });
});

describe("a field that cannot be changed", () => {
  test("is told with the command, and with the annotation that allows it", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([deployment({})]);
    const result = await cluster.reconcile([deployment({ app: "other" }), ...configMaps("b")]);
    const failed = result.objects.find(({ state }) => state === "failed");
    expect(failed).toMatchObject({ name: "web", reason: "ImmutableField" });
    expect(failed?.message).toContain("kubectl -n shop delete deployments.apps web");
    expect(failed?.message).toContain("bowline.dev/recreate: allowed");
    expect(result.objects.find(({ name }) => name === "b")).toMatchObject({ state: "applied" });
  });

  test("makes the object anew where that is allowed", async () => {
    const cluster = await startTestCluster();
    const annotations = { "bowline.dev/recreate": "allowed" };
    await cluster.reconcile([deployment({ annotations })]);
    const before = cluster.sim.api.get("deployments.apps", "shop", "web");
    const result = await cluster.reconcile([deployment({ app: "other", annotations })]);
    expect(result).toMatchObject({ isApplied: true });
    const after = cluster.sim.api.get("deployments.apps", "shop", "web");
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await cluster.inventory()).toMatchObject([{ uid: after?.metadata.uid, state: "applied" }]);
  });

  const job = (image: string): object => ({
    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } },
  });
  const service = (clusterIP: string): object => ({ clusterIP, ports: [{ port: 80 }] });

  test.each([
    ["batch/v1", "Job", [job("a"), job("b")]],
    ["v1", "Service", [service("10.96.0.50"), service("10.96.0.51")]],
  ])("of a %s %s works the same way", async (apiVersion, kind, specs) => {
    const cluster = await startTestCluster();
    const [first, second] = specs.map((spec) => JSON.parse(JSON.stringify(spec)));
    const object = (spec: ManifestObject, annotations: Record<string, string>): ManifestObject => ({
      apiVersion,
      kind,
      metadata: { name: "o", annotations },
      spec,
    });
    await cluster.reconcile([object(first, {})]);
    const refused = await cluster.reconcile([object(second, {})]);
    expect(refused.objects[0]).toMatchObject({ state: "failed", reason: "ImmutableField" });
    const allowed = await cluster.reconcile([object(second, { "bowline.dev/recreate": "allowed" })]);
    expect(allowed.objects[0]).toMatchObject({ state: "applied" });
  });
});
