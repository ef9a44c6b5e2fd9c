import type { KubeObject } from "@bowline/kube";
import type { ManifestObject } from "@bowline/manifests";
import { expect, test } from "vitest";

import { shownObjects } from "./diff/shown-object.ts";
import type { DiffResult } from "./object-result.ts";
import { configMaps, refusal, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";
import type { Workload } from "./workload.ts";

async function diff(
  cluster: TestCluster,
  manifests: readonly ManifestObject[] | Workload,
): Promise<DiffResult> {
  const workload = "revision" in manifests ? manifests : await cluster.workload(manifests);
  return cluster.engine().diff(workload, { signal: new AbortController().signal });
}

const changes = ({ objects }: DiffResult): Record<string, string> =>
  Object.fromEntries(objects.map(({ name, change }) => [name, change]));

const secret = (value: string): ManifestObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "secret" },
  stringData: { password: value, user: "same" },
});

test("tells what a reconcile would do, and writes nothing anywhere", async () => {
  const cluster = await startTestCluster();
  await cluster.reconcile([...configMaps("same", "changed", "goes"), secret("canary-old")]);
  const [edited] = configMaps("changed").map((object) => ({
    ...object,
    data: { name: "changed", more: "x" },
  }));
  const rows = await cluster.inventory();
  const revision = cluster.sim.revision;
  const result = await diff(cluster, [
    ...configMaps("same", "new"),
    ...(edited === undefined ? [] : [edited]),
    secret("canary-new"),
    { apiVersion: "example.com/v1", kind: "Nothing", metadata: { name: "refused" } },
  ]);
  expect(changes(result)).toEqual({
    changed: "changed",
    goes: "pruned",
    new: "created",
    refused: "refused",
    same: "unchanged",
    secret: "changed",
  });
  const changed = result.objects.find(({ name }) => name === "changed");
  expect(changed?.before?.["data"]).toEqual({ name: "changed" });
  expect(changed?.after?.["data"]).toEqual({ name: "changed", more: "x" });
  expect(Object.keys(changed?.after?.metadata ?? {}).toSorted()).toEqual(["labels", "name", "namespace"]);
  const hidden = result.objects.find(({ name }) => name === "secret");
  expect(hidden?.before?.["data"]).toEqual({ password: "*** (before)", user: "***" });
  expect(hidden?.after?.["data"]).toEqual({ password: "*** (after)", user: "***" });
  const text = JSON.stringify(result);
  expect(text).not.toContain("canary");
  expect(text).not.toContain(Buffer.from("canary-new").toString("base64"));
  expect(cluster.sim.revision).toBe(revision);
  expect(await cluster.inventory()).toEqual(rows);
});

test("knows what the revision itself brings", async () => {
  const cluster = await startTestCluster();
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boats.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Boat", plural: "boats", singular: "boat", listKind: "BoatList" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };
  const result = await diff(cluster, [
    crd,
    { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "dinghy" } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "harbour" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "inside", namespace: "harbour" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nowhere", namespace: "missing" } },
  ]);
  expect(changes(result)).toEqual({
    "boats.example.com": "created",
    dinghy: "created",
    harbour: "created",
    inside: "created",
    nowhere: "refused",
  });
});

test("shows no times that nobody has set", () => {
  const template = (metadata: object): KubeObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { template: { metadata } },
  });
  const older = template({ creationTimestamp: null, labels: { app: "web" } });
  const { after, isSame } = shownObjects(older, template({ labels: { app: "web" } }));
  expect(isSame).toBe(true);
  expect(after).toMatchObject({
    metadata: { name: "web" },
    spec: { template: { metadata: { labels: {} } } },
  });
});

test("says nothing of an object that may be written and not read", async () => {
  const cluster = await startTestCluster();
  await cluster.reconcile(configMaps("a"));
  const message = 'configmaps "a" is forbidden: User "somebody" cannot get resource "configmaps"';
  cluster.transport.answer = ({ method, path }) =>
    method === "GET" && path.includes("/configmaps/a") ? refusal(403, "Forbidden", message) : undefined;
  const { objects } = await diff(cluster, configMaps("a"));
  expect(objects).toMatchObject([{ change: "refused", reason: "Forbidden" }]);
  expect(objects[0]).not.toHaveProperty("after");
});

test("shows a prune that would be held, and objects of others by the owner's name", async () => {
  const cluster = await startTestCluster();
  await cluster.reconcile(configMaps("a", "b"));
  expect(await diff(cluster, [])).toMatchObject({
    held: { count: 2 },
    objects: [{ change: "pruned" }, { change: "pruned" }],
  });
  await cluster.reconcile(configMaps("theirs"), { name: "api" });
  const owned = (await diff(cluster, configMaps("a", "b", "theirs"))).objects.find(
    ({ name }) => name === "theirs",
  );
  expect(owned).toMatchObject({
    change: "refused",
    reason: "OwnedByOther",
    message: expect.stringContaining("api"),
  });
});
