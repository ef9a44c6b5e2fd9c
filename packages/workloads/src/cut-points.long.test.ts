import type { ManifestObject } from "@bowline/manifests";
import { describe, expect, test } from "vitest";

import { instanceLabel } from "./workload.ts";
import { configMaps, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";
import type { Cut } from "./testing/recording-transport.ts";

const crd: ManifestObject = {
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
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const boat: ManifestObject = { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "dinghy" } };
const namespace: ManifestObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "harbour" } };
const service = (clusterIP: string): ManifestObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "front", annotations: { "bowline.dev/recreate": "allowed" } },
  spec: { clusterIP, ports: [{ port: 80 }] },
});
const changed = (name: string): ManifestObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { name: `${name} is another` },
});

/** What there is first, and what a revision makes of it: new, changed, unchanged, made anew, taken over and pruned objects. */
const first = [...configMaps("stays", "changes", "goes", "goes-too"), service("10.96.0.50")];
const second = [
  ...configMaps("stays", "new", "taken"),
  changed("changes"),
  service("10.96.0.51"),
  crd,
  boat,
  namespace,
];
const wanted = ["boats.example.com", "changes", "dinghy", "front", "harbour", "new", "stays", "taken"];

async function prepare(): Promise<TestCluster> {
  const cluster = await startTestCluster();
  await cluster.reconcile(first);
  await cluster.client.apply(
    { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "taken", namespace: "shop" },
      data: { name: "theirs" },
    },
    { fieldManager: "kubectl" },
  );
  cluster.transport.take();
  cluster.forgetDiscovery();
  return cluster;
}

/** Exactly the wanted objects, each once, and an inventory that says so. */
async function expectExact(cluster: TestCluster, names: readonly string[]): Promise<void> {
  const { api } = cluster.sim;
  const resources = [
    "configmaps",
    "services",
    "namespaces",
    "customresourcedefinitions.apiextensions.k8s.io",
    ...(names.includes("dinghy") ? ["boats.example.com"] : []),
  ];
  const live = resources
    .flatMap((resource) => [...api.list(resource)])
    .filter(({ metadata }) => metadata.labels?.[instanceLabel] === "web");
  expect(live.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
  const rows = await cluster.inventory();
  const state = rows.map(({ name, state: is, uid }) => `${name} ${is} ${uid}`).toSorted();
  expect(state).toEqual(live.map(({ metadata }) => `${metadata.name} applied ${metadata.uid}`).toSorted());
  expect(cluster.names("configmaps")).not.toContain("goes");
}

const signal = (): AbortSignal => new AbortController().signal;

describe("a server that is killed after any single request", () => {
  test("of a reconcile: the next one ends with exactly what is wanted", async () => {
    const whole = await prepare();
    expect(await whole.reconcile(second)).toMatchObject({ isApplied: true, isPruned: true });
    const count = whole.transport.requests.length;
    await expectExact(whole, wanted);
    expect(count).toBeGreaterThan(20);
    const cuts: Cut[] = Array.from({ length: count }, (_, index) => index + 1).flatMap((request) => [
      { request, when: "before" },
      { request, when: "after" },
    ]);
    for (const cut of cuts) {
      const cluster = await prepare();
      cluster.transport.cut = cut;
      // It may also have been cut after its last request: then it ends well.
      await cluster.reconcile(second).catch(() => {});
      cluster.transport.cut = undefined;
      cluster.forgetDiscovery();
      const result = await cluster.reconcile(second);
      expect({ cut, isApplied: result.isApplied, isPruned: result.isPruned }).toEqual({
        cut,
        isApplied: true,
        isPruned: true,
      });
      await expectExact(cluster, wanted);
      cluster.transport.take();
      await cluster.reconcile(second);
      expect(cluster.transport.take().filter((request) => !request.startsWith("GET /api"))).toEqual([]);
    }
  }, 240_000);

  test.each(["delete", "retain"] as const)(
    "of a removal that is to %s: the next one leaves nothing over",
    async (policy) => {
      const whole = await prepare();
      await whole.engine().remove(policy, { signal: signal() });
      const count = whole.transport.requests.length;
      for (let request = 1; request <= count; request += 1) {
        for (const when of ["before", "after"] as const) {
          const cluster = await prepare();
          cluster.transport.cut = { request, when };
          await cluster
            .engine()
            .remove(policy, { signal: signal() })
            .catch(() => {});
          cluster.transport.cut = undefined;
          const result = await cluster.engine().remove(policy, { signal: signal() });
          expect({ request, when, isGone: result.isGone }).toEqual({ request, when, isGone: true });
          expect(await cluster.inventory()).toEqual([]);
          const left = [...cluster.sim.api.list("configmaps")];
          expect(left.filter(({ metadata }) => metadata.labels?.[instanceLabel] === "web")).toEqual([]);
          expect(cluster.names("configmaps")).toEqual(
            policy === "delete" ? ["taken"] : ["changes", "goes", "goes-too", "stays", "taken"],
          );
        }
      }
    },
  );
});
