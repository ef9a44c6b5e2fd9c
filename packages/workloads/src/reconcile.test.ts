import { BowlineError, systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { Discovery, KubeClient, resources } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { WorkloadEngine } from "./workload-engine.ts";
import { instanceLabel } from "./workload.ts";
import { answer, configMaps, passing, refusal, startTestCluster } from "./testing/test-cluster.ts";

const states = ({
  objects,
}: {
  readonly objects: readonly { name: string; state: string; reason?: string | undefined }[];
}) =>
  Object.fromEntries(
    objects.map(({ name, state, reason }) => [name, reason === undefined ? state : `${state}: ${reason}`]),
  );

const signal = (): AbortSignal => new AbortController().signal;

const crd = {
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
const boat = { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "dinghy" }, sails: 1 };

describe("a reconcile", () => {
  test("applies everything, knows it by uid and digest, and asks for nothing when nothing changes", async () => {
    const cluster = await startTestCluster();
    const first = await cluster.reconcile(configMaps("a", "b"));
    expect(first).toMatchObject({ isApplied: true, isPruned: true });
    expect(first.retry).toBeUndefined();
    expect(first.objects).toMatchObject([
      { name: "a", namespace: "shop", state: "applied", isWritten: true },
      { name: "b", namespace: "shop", state: "applied", isWritten: true },
    ]);
    const live = cluster.sim.api.get("configmaps", "shop", "a");
    expect(live?.metadata.labels).toEqual({ [instanceLabel]: "web" });
    const [row] = await cluster.inventory();
    expect(row).toMatchObject({ state: "applied", uid: live?.metadata.uid, stage: 2 });
    expect(row?.digest).toMatch(/^sha256:/);
    cluster.transport.take();
    const second = await cluster.reconcile(configMaps("a", "b"));
    expect(second.objects.map(({ state, isWritten }) => [state, isWritten])).toEqual([
      ["applied", false],
      ["applied", false],
    ]);
    expect(cluster.transport.take()).toEqual([]);
    // Of another revision only what differs is sent.
    const [changed] = configMaps("b").map((object) => ({ ...object, data: { b: "2" } }));
    await cluster.reconcile([...configMaps("a"), ...(changed === undefined ? [] : [changed])]);
    expect(cluster.transport.take()).toEqual([
      "GET /version",
      expect.stringContaining("PATCH /api/v1/namespaces/shop/configmaps/b?"),
    ]);
  });

  test("brings a definition and objects of its kind in one revision, and waits for the kind", async () => {
    const cluster = await startTestCluster();
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "harbour" } };
    const inside = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "inside", namespace: "harbour" },
    };
    const result = await cluster.reconcile([boat, inside, namespace, crd]);
    expect(states(result)).toEqual({
      "boats.example.com": "applied",
      dinghy: "applied",
      harbour: "applied",
      inside: "applied",
    });
    expect(cluster.names("boats.example.com")).toEqual(["dinghy"]);
  });

  test("a definition that is never in use stops its own kind alone", async () => {
    const clock = new ManualClock();
    const cluster = await startTestCluster({}, { clock });
    const stuck = { ...crd, metadata: { ...crd.metadata, uid: "u", resourceVersion: "1" }, status: {} };
    cluster.transport.answer = ({ path }) =>
      path.includes("customresourcedefinitions") ? answer(200, stuck) : undefined;
    const result = await passing(clock, cluster.reconcile([crd, boat, ...configMaps("a")]));
    expect(states(result)).toEqual({
      a: "applied",
      "boats.example.com": "waiting: NotEstablished",
      dinghy: "waiting: NotEstablished",
    });
    expect(result.retry).toMatchObject({ code: "ReconcileWaiting" });
    expect(cluster.transport.requests.filter((path) => path.includes("dinghy"))).toEqual([]);
    const rows = await cluster.inventory();
    expect(rows.map(({ name, state }) => [name, state])).toEqual([
      ["a", "applied"],
      ["boats.example.com", "intended"],
      ["dinghy", "intended"],
    ]);
  });

  test("one refused object of 300: the others are applied, and one error has its name", async () => {
    const cluster = await startTestCluster();
    cluster.transport.answer = ({ method, path }) =>
      method === "PATCH" && path.includes("/n17?")
        ? refusal(403, "Forbidden", 'admission webhook "policy.example.com" denied the request: no n17 here')
        : undefined;
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const result = await cluster.reconcile(configMaps(...names));
    expect(result.objects.filter(({ state }) => state === "applied")).toHaveLength(299);
    expect(result.objects.filter(({ state }) => state !== "applied")).toMatchObject([
      {
        name: "n17",
        state: "failed",
        reason: "AdmissionDenied",
        message: expect.stringContaining("no n17 here"),
      },
    ]);
    expect(cluster.names("configmaps")).toHaveLength(299);
    expect(result).toMatchObject({ isApplied: false });
    expect(result.retry).toBeUndefined();
    const rows = await cluster.inventory();
    expect([rows.length, rows.every(({ state }) => state === "applied")]).toEqual([299, true]);
    cluster.transport.answer = undefined;
    cluster.transport.take();
    expect(await cluster.reconcile(configMaps(...names))).toMatchObject({ isApplied: true });
    expect(cluster.transport.take()).toHaveLength(1);
  });

  test("bad manifests: one clear reason for each, the others proceed, and nothing is pruned", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("old", "good"));
    const result = await cluster.reconcile([
      ...configMaps("good", "twice"),
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "undefined-parameter" },
        data: { x: "${{ nothing }}" },
      },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "twice", namespace: "shop" } },
      { apiVersion: "example.com/v1", kind: "Nothing", metadata: { name: "unknown-kind" } },
      { apiVersion: "extensions/v1beta1", kind: "Deployment", metadata: { name: "old-version" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nowhere", namespace: "missing" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "typed" }, data: { a: 1 } },
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "misspelt", annotations: { "bowline.dev/prune": "disable" } },
      },
    ]);
    const failed = result.objects.filter(({ state }) => state === "failed");
    expect(Object.fromEntries(failed.map(({ name, reason }) => [name, reason]))).toEqual({
      misspelt: "RenderFailed",
      nowhere: "NamespaceMissing",
      "old-version": "UnknownKind",
      twice: "RenderFailed",
      typed: expect.stringMatching(/^(?:Invalid|Refused)$/),
      "undefined-parameter": "RenderFailed",
      "unknown-kind": "UnknownKind",
    });
    expect(result.objects.filter(({ state }) => state === "applied").map(({ name }) => name)).toEqual([
      "good",
      "twice",
    ]);
    expect(result.objects.find(({ name }) => name === "old")).toMatchObject({
      state: "held",
      reason: "PruneWaits",
    });
    expect(cluster.names("configmaps")).toEqual(["good", "old", "twice"]);
  });

  test("says which rule is missing, and goes on with what is allowed", async () => {
    const cluster = await startTestCluster();
    const { api } = cluster.sim;
    const rbac = "rbac.authorization.k8s.io";
    cluster.sim.addUser("limited-token", { name: "limited", groups: [] });
    api.create(`roles.${rbac}`, {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name: "r", namespace: "shop" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch", "delete"] }],
    });
    api.create(`rolebindings.${rbac}`, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "r", namespace: "shop" },
      subjects: [{ kind: "User", name: "limited", apiGroup: rbac }],
      roleRef: { kind: "Role", name: "r", apiGroup: rbac },
    });
    const client = new KubeClient(cluster.connect("limited-token"));
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    const elsewhere = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "default" } };
    const workload = await cluster.workload([...configMaps("a"), secret, elsewhere]);
    const result = await cluster.engine("web", client).reconcile(workload, { signal: signal() });
    expect(states(result)).toEqual({ a: "applied", b: "failed: Forbidden", s: "failed: Forbidden" });
    expect(result.objects.find(({ name }) => name === "s")?.message).toContain(
      'a Role in the namespace shop: apiGroups: [""], resources: ["secrets"], verbs: [get, create, patch, delete]',
    );
  });

  test.each([
    [403, "Forbidden", 'pods "a" is forbidden: exceeded quota: q, requested: pods=1', "QuotaExceeded"],
    [413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", "TooLarge"],
    [
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      "UnknownKind",
    ],
    [400, "BadRequest", 'admission webhook "x" denied the request: because', "AdmissionDenied"],
    [401, "Unauthorized", "Unauthorized", "Forbidden"],
  ])("%i %s is told as what it is", async (code, reason, message, expected) => {
    const cluster = await startTestCluster();
    cluster.transport.answer = ({ path, method }) =>
      method === "PATCH" && path.includes("/a?") ? refusal(code, reason, message) : undefined;
    const result = await cluster.reconcile(configMaps("a", "b"));
    expect(states(result)).toEqual({ a: `failed: ${expected}`, b: "applied" });
    expect(result.objects[0]?.message).toMatch(/\.$/);
  });

  test("what passes by itself is retried, after everything else was tried", async () => {
    const cluster = await startTestCluster();
    cluster.transport.answer = ({ path, method }) =>
      method === "PATCH" && path.includes("/a?")
        ? refusal(500, "InternalError", "failed calling webhook")
        : undefined;
    const result = await cluster.reconcile(configMaps("a", "b"));
    expect(states(result)).toEqual({ a: "waiting: Unavailable", b: "applied" });
    expect(result.retry).toMatchObject({ code: "ServerError", retryable: true });
  });

  test("a namespace that is being deleted: its objects wait", async () => {
    const cluster = await startTestCluster();
    cluster.createNamespace("ending");
    cluster.sim.api.create("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "blocker", namespace: "ending", finalizers: ["example.com/never"] },
    });
    cluster.sim.api.delete("namespaces", undefined, "ending");
    const inside = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "in", namespace: "ending" } };
    const result = await cluster.reconcile([inside, ...configMaps("a")]);
    expect(states(result)).toEqual({ a: "applied", in: "waiting: NamespaceTerminating" });
    expect(result.retry).toMatchObject({ retryable: true });
  });

  test("the way to the cluster is given up after a few requests, and nothing is lost", async () => {
    const cluster = await startTestCluster();
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
    await cluster.reconcile(configMaps("n0"));
    cluster.transport.take();
    cluster.transport.cut = { request: 20, when: "before" };
    const result = await cluster.reconcile(configMaps(...names));
    expect(result.retry).toMatchObject({ code: "AgentOffline" });
    expect(cluster.transport.take().length).toBeLessThan(40);
    cluster.transport.cut = undefined;
    expect(await cluster.reconcile(configMaps(...names))).toMatchObject({ isApplied: true });
    expect(cluster.names("configmaps")).toHaveLength(60);
  });

  test("a run that is cancelled rejects with the reason, and writes down what was done", async () => {
    const cluster = await startTestCluster();
    const stop = new AbortController();
    cluster.transport.answer = ({ path }) => {
      if (path.includes("/n20?")) stop.abort(new Error("a newer revision is there"));
      return undefined;
    };
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
    const running = cluster.reconcile(configMaps(...names), { signal: stop.signal });
    await expect(running).rejects.toThrow("a newer revision is there");
    const done = (await cluster.inventory()).filter(({ state }) => state === "applied");
    expect(done.length).toBeGreaterThan(5);
    expect(done.length).toBeLessThan(60);
  });

  test("a lease that was lost ends the run before anything is sent, or as soon as it shows", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a"));
    cluster.transport.take();
    const { inventory } = cluster.store;
    const lost = new BowlineError("LeaseLost", "Another replica has it.");
    const discovery = new Discovery(cluster.client);
    const own = {
      client: cluster.client,
      discovery,
      key: cluster.keyOf("web"),
      instance: "web",
      clock: systemClock,
    };
    const fenced = new WorkloadEngine({ ...own, inventory, fence: { key: "placement/web", token: 7 } });
    const workload = await cluster.workload(configMaps("a", "b"));
    await expect(fenced.reconcile(workload, { signal: signal() })).rejects.toMatchObject({
      code: "LeaseLost",
    });
    expect(cluster.transport.take().filter((request) => request.startsWith("PATCH"))).toEqual([]);
    const losing: typeof inventory = Object.create(inventory, {
      intend: { value: inventory.intend.bind(inventory) },
      list: { value: inventory.list.bind(inventory) },
      applied: { value: () => Promise.reject(lost) },
    });
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const many = await cluster.workload(configMaps(...names));
    const late = new WorkloadEngine({ ...own, inventory: losing });
    await expect(late.reconcile(many, { signal: signal() })).rejects.toBe(lost);
    expect(cluster.transport.take().length).toBeLessThan(60);
  });

  test("what somebody has changed is sent again when it is told, or when everything is verified", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    cluster.transport.take();
    const drifted = [{ group: "", kind: "ConfigMap", namespace: "shop", name: "a" }];
    await cluster.reconcile(configMaps("a", "b"), { drifted });
    expect(cluster.transport.take()).toHaveLength(1);
    const before = cluster.sim.revision;
    await cluster.reconcile(configMaps("a", "b"), { verify: true });
    expect(cluster.transport.take()).toHaveLength(2);
    expect(cluster.sim.revision).toBe(before);
    const edit = { type: "merge", namespace: "shop", name: "a", fieldManager: "some-operator" } as const;
    await cluster.client.patch(resources.configMaps, { data: { name: "edited" } }, edit);
    expect(await cluster.reconcile(configMaps("a", "b"), { drifted })).toMatchObject({ isApplied: true });
    expect(cluster.sim.api.get("configmaps", "shop", "a")?.["data"]).toEqual({ name: "a" });
    // One that somebody has made anew was never ours.
    cluster.sim.api.delete("configmaps", "shop", "a");
    const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { name: "theirs" } };
    await cluster.client.create(resources.configMaps, other, {
      namespace: "shop",
      fieldManager: "some-operator",
    });
    const result = await cluster.reconcile(configMaps("a", "b"), { drifted });
    expect(states(result)).toEqual({ a: "failed: FieldConflict", b: "applied" });
  });

  test("what could not be set right is not taken for applied from then on", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    cluster.transport.answer = ({ method, path }) =>
      method === "PATCH" && path.includes("/a?") ? refusal(422, "Invalid", "not like this") : undefined;
    const failed = { a: "failed: Invalid", b: "applied" };
    expect(states(await cluster.reconcile(configMaps("a", "b"), { verify: true }))).toEqual(failed);
    expect(states(await cluster.reconcile(configMaps("a", "b")))).toEqual(failed);
    cluster.transport.answer = undefined;
    expect(states(await cluster.reconcile(configMaps("a", "b")))).toEqual({ a: "applied", b: "applied" });
  });

  test("a Secret is sent as it will be, so that a key that goes from stringData goes from the cluster", async () => {
    const cluster = await startTestCluster();
    const secret = (stringData: Record<string, string>) => [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { c: "Yw==" }, stringData },
    ];
    await cluster.reconcile(secret({ a: "1", b: "2" }));
    expect(cluster.sim.api.get("secrets", "shop", "s")?.["data"]).toEqual({
      a: "MQ==",
      b: "Mg==",
      c: "Yw==",
    });
    await cluster.reconcile(secret({ b: "2" }));
    expect(cluster.sim.api.get("secrets", "shop", "s")?.["data"]).toEqual({ b: "Mg==", c: "Yw==" });
  });
});
