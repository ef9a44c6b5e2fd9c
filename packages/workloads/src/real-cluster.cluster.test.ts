import { systemClock } from "@bowline/core";
import { connect, Discovery, KubeClient } from "@bowline/kube";
import { parseManifests, revisionOf, type ManifestObject } from "@bowline/manifests";
import { objectText } from "@bowline/store";
import { addPlaces, openTestStore } from "@bowline/store/testing";
import { startControlPlane } from "@bowline/test-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { ReportedObject } from "./order/gate.ts";
import { healthy, hook, inWave, succeeded } from "./testing/reports.ts";
import { WorkloadEngine } from "./workload-engine.ts";
import type { Workload, WorkloadPolicy } from "./workload.ts";

let cluster: Awaited<ReturnType<typeof startControlPlane>>;

beforeAll(async () => {
  cluster = await startControlPlane();
});

afterAll(() => cluster.stop());

const signal = (): AbortSignal => new AbortController().signal;

/** An engine for an instance of its own in the real cluster. */
async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { definitionId, east, web } = await addPlaces(store);
  const transport = connect({
    name: "real",
    server: cluster.url,
    namespace: "default",
    ca: { pem: cluster.caCert },
    insecureSkipVerify: false,
    auth: { type: "token", token: cluster.adminToken },
  });
  const client = new KubeClient(transport);
  const key = { instanceId: web, clusterId: east };
  const discovery = new Discovery(client);
  const { inventory } = store;
  const engine = new WorkloadEngine({
    client,
    discovery,
    inventory,
    key,
    instance: "web",
    clock: systemClock,
  });
  const workload = async (
    objects: readonly ManifestObject[],
    policy: Partial<WorkloadPolicy> = {},
  ): Promise<Workload> => {
    const { content } = revisionOf({ objects, parameters: [] });
    const { id } = await store.revisions.put({ definitionId, content, objects: objects.length });
    const base = { prune: true, pruneLimit: { count: 10, percent: 25 }, isPruneApproved: true, ignore: [] };
    return {
      revision: id,
      objects,
      parameters: new Map(),
      cluster: { name: "east", labels: {} },
      namespace: "shop",
      policy: { ...base, conflicts: "takeover", ...policy },
    };
  };
  return { engine, workload, inventory, key, close: () => transport.close() };
}

const manifests = (image: string): readonly ManifestObject[] =>
  parseManifests(`
apiVersion: example.com/v1
kind: Boat
metadata: { name: dinghy }
spec: { sails: 1 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "${image}", ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Secret
metadata: { name: key }
stringData: { password: hidden }
---
apiVersion: v1
kind: Namespace
metadata: { name: shop, annotations: { bowline.dev/prune: allowed } }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.example.com, annotations: { bowline.dev/prune: allowed } }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Boat, plural: boats, singular: boat, listKind: BoatList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`).objects;

test("one workload through its whole life in a real cluster", async () => {
  const { engine, workload, inventory, key, close } = await setup();
  const first = await engine.reconcile(await workload(manifests("a:1")), { signal: signal() });
  expect(first.objects.map(({ name, state, message }) => [name, state, message])).toEqual([
    ["shop", "applied", undefined],
    ["key", "applied", undefined],
    ["boats.example.com", "applied", undefined],
    ["web", "applied", undefined],
    ["dinghy", "applied", undefined],
  ]);
  const again = await engine.reconcile(await workload(manifests("a:1")), { signal: signal(), verify: true });
  expect(again.isApplied).toBe(true);
  const digests = (objects: readonly { readonly digest?: string | undefined }[]): unknown[] =>
    objects.map(({ digest }) => digest);
  expect(digests(again.objects)).toEqual(digests(first.objects));

  // Somebody edits it by hand: told by name and set right, and nothing is left to be set right.
  await cluster.kubectl(["-n", "shop", "set", "image", "deployment/web", "main=evil:1"]);
  const object = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
  const corrected = await engine.correct(await workload(manifests("a:1")), object, { signal: signal() });
  expect(corrected).toMatchObject({ outcome: "corrected", changedBy: [expect.stringMatching(/^kubectl/)] });
  expect(await engine.correct(await workload(manifests("a:1")), object, { signal: signal() })).toMatchObject({
    outcome: "unchanged",
  });

  // An autoscaler takes over the replicas, and keeps them.
  await cluster.kubectl(["-n", "shop", "autoscale", "deployment/web", "--min=1", "--max=5"]);
  await cluster.kubectl(["-n", "shop", "scale", "deployment/web", "--replicas=4"]);
  const next = await engine.reconcile(await workload(manifests("a:2")), { signal: signal() });
  expect(next.isApplied).toBe(true);
  const shown = await cluster.kubectl([
    "-n",
    "shop",
    "get",
    "deployment/web",
    "-o",
    "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}",
  ]);
  expect(shown).toBe("4 a:2");

  const diff = await engine.diff(await workload(manifests("a:3")), { signal: signal() });
  expect(diff.objects.map(({ name, change }) => [name, change])).toEqual([
    ["shop", "unchanged"],
    ["key", "unchanged"],
    ["boats.example.com", "unchanged"],
    ["web", "changed"],
    ["dinghy", "unchanged"],
  ]);

  const smaller = manifests("a:2").filter(({ kind }) => kind !== "Deployment");
  const pruned = await engine.reconcile(await workload(smaller), { signal: signal() });
  expect(pruned.objects.find(({ name }) => name === "web")?.state).toMatch(/^(?:pruned|deleting)$/);
  await expect
    .poll(async () => (await engine.remove("delete", { signal: signal() })).isGone, { timeout: 90_000 })
    .toBe(true);
  expect((await inventory.list(key)).items).toEqual([]);
  const left = await cluster.kubectl(["get", "crd,namespace", "-o", "name"]);
  expect(left).not.toMatch(/boats|shop/);
  await close();
});

test("a hook and two waves in a real cluster: the same Job sent twice is one, and nothing is sent again at the end", async () => {
  const { engine, workload, inventory, key, close } = await setup();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ordered" } };
  const placed = [hook("pre", "migrate"), inWave("database", "0"), inWave("web", "1")].map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: "ordered" },
  }));
  const revision = await workload([namespace, ...placed]);
  const run = async (told: Readonly<Record<string, ReportedObject>>, verify = false) => {
    const { items } = await inventory.list(key);
    const all = items.flatMap((item) => {
      const [, found] = Object.entries(told).find(([name]) => item.name.startsWith(name)) ?? [];
      return found === undefined ? [] : [[objectText(item), found] as const];
    });
    const result = await engine.reconcile(revision, {
      signal: signal(),
      verify,
      reported: async () => new Map(all),
    });
    return result.objects
      .filter(({ kind }) => kind !== "Namespace")
      .map(({ state, reason }) => reason ?? state);
  };
  const jobs = (): Promise<string> =>
    cluster.kubectl(["-n", "ordered", "get", "jobs", "-o", "jsonpath={.items[*].metadata.uid}"]);
  expect(await run({})).toEqual(["WaitingForHook", "WaitingForHook", "HookRunning"]);
  const uid = await jobs();
  // As if the server had ended before it heard of the answer.
  const row = (await inventory.list(key)).items.find(({ hook: phase }) => phase === "pre");
  if (row === undefined) throw new Error("The hook has no row.");
  await inventory.gone(key, [row]);
  expect(await run({})).toEqual(["WaitingForHook", "WaitingForHook", "HookRunning"]);
  expect(await jobs()).toBe(uid);
  expect(await run({ migrate: succeeded })).toEqual(["applied", "WaitingForHealth", "applied"]);
  expect(await run({ database: healthy })).toEqual(["applied", "applied", "applied"]);
  await cluster.kubectl(["-n", "ordered", "delete", "jobs", "--all"]);
  expect(await run({ database: healthy, web: healthy }, true)).toEqual(["applied", "applied", "applied"]);
  expect(await jobs()).toBe("");
  await expect
    .poll(async () => (await engine.remove("delete", { signal: signal() })).isGone, { timeout: 90_000 })
    .toBe(true);
  await close();
});

test("what kubectl has applied is taken over, with fields that only it had left alone; retained, it is free again", async () => {
  const { engine, workload, close } = await setup();
  await cluster.kubectl(["create", "namespace", "taken"]);
  await cluster.kubectl([
    "-n",
    "taken",
    "create",
    "configmap",
    "a",
    "--from-literal=x=theirs",
    "--from-literal=z=theirs",
    "--save-config",
  ]);
  const ours = (data: Record<string, string>): ManifestObject[] => [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "taken" }, data },
  ];
  const dataOf = (): Promise<string> =>
    cluster.kubectl(["-n", "taken", "get", "configmap", "a", "-o", "jsonpath={.data}"]);
  const taken = await engine.reconcile(await workload(ours({ x: "ours", y: "ours" })), { signal: signal() });
  expect(taken.objects).toMatchObject([{ state: "applied" }]);
  expect(JSON.parse(await dataOf())).toEqual({ x: "ours", y: "ours", z: "theirs" });
  await engine.reconcile(await workload(ours({ x: "ours" })), { signal: signal() });
  expect(JSON.parse(await dataOf())).toEqual({ x: "ours", z: "theirs" });
  expect(await engine.remove("retain", { signal: signal() })).toMatchObject({ isGone: true });
  const managed = ["-n", "taken", "get", "configmap", "a", "-o", "jsonpath={.metadata}"];
  expect(await cluster.kubectl(managed)).not.toMatch(/bowline/);
  await close();
});

test("a probe goes that kubectl has made, with what the server has filled in for it", async () => {
  const { engine, workload, close } = await setup();
  await cluster.kubectl(["create", "namespace", "probed"]);
  const probed = (container: object): ManifestObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", namespace: "probed" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: [{ name: "main", image: "a:1", ...container }],
        },
      },
    },
  });
  const probe = { readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 } };
  await cluster.kubectl(["create", "-f", "-"], { input: JSON.stringify(probed(probe)) });
  await engine.reconcile(await workload([probed(probe)]), { signal: signal() });
  const without = await workload([probed({})]);
  const diff = await engine.diff(without, { signal: signal() });
  expect(diff.objects).toMatchObject([{ change: "changed" }]);
  expect(JSON.stringify(diff.objects[0]?.after)).not.toContain("readinessProbe");
  const result = await engine.reconcile(without, { signal: signal() });
  expect(result.objects).toMatchObject([{ state: "applied" }]);
  const shown = await cluster.kubectl(["-n", "probed", "get", "deployment/a", "-o", "json"]);
  expect(JSON.parse(shown)).toMatchObject({ metadata: { generation: 2 } });
  expect(shown).not.toContain("readinessProbe");
  await close();
});
