import { ManualClock } from "@bowline/core/testing";
import { resources } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { instanceLabel } from "./workload.ts";
import { configMaps, refusal, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";

interface Named {
  readonly name: string;
  readonly state: string;
  readonly reason?: string | undefined;
}

const states = ({ objects }: { readonly objects: readonly Named[] }): Record<string, string> =>
  Object.fromEntries(
    objects.map(({ name, state, reason }) => [name, reason === undefined ? state : `${state}: ${reason}`]),
  );

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, "0")}`);

const remove = (cluster: TestCluster, policy: "delete" | "retain", name = "web") =>
  cluster.engine(name).remove(policy, { signal: new AbortController().signal });

const forbidB: TestCluster["transport"]["answer"] = ({ path }) =>
  /\/configmaps\/b(?:\?|$)/u.test(path) ? refusal(403, "Forbidden", "configmaps is forbidden") : undefined;

const annotated = (name: string, annotations: Record<string, string>, kind = "ConfigMap") => ({
  apiVersion: "v1",
  kind,
  metadata: { name, annotations },
});

describe("a prune", () => {
  test("deletes what is not in the revision any more, after the rest was applied, and forgets it", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b", "c"));
    cluster.transport.take();
    const result = await cluster.reconcile(configMaps("a", "d"));
    expect(states(result)).toEqual({ a: "applied", b: "pruned", c: "pruned", d: "applied" });
    expect(result).toMatchObject({ isApplied: true, isPruned: true });
    const requests = cluster.transport.take().map((request) => request.split(" ")[0]);
    expect(requests.indexOf("DELETE")).toBeGreaterThan(requests.lastIndexOf("PATCH"));
    expect(cluster.names("configmaps")).toEqual(["a", "d"]);
    expect((await cluster.inventory()).map(({ name }) => name)).toEqual(["a", "d"]);
  });

  test("that would leave nothing is held until it is approved", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    const held = await cluster.reconcile([]);
    expect(states(held)).toEqual({ a: "held: PruneHeld", b: "held: PruneHeld" });
    expect(held).toMatchObject({ isApplied: true, isPruned: false, held: { count: 2, total: 2 } });
    expect(cluster.names("configmaps")).toEqual(["a", "b"]);
    const approved = await cluster.workload([], { policy: { isPruneApproved: true } });
    expect(states(await cluster.reconcile(approved))).toEqual({ a: "pruned", b: "pruned" });
    expect(cluster.names("configmaps")).toEqual([]);
  });

  test.each([
    [100, 74, "held"],
    [100, 75, "pruned"],
    [12, 2, "pruned"],
    [12, 1, "held"],
  ])("of %i objects down to %i is %s", async (before, after, expected) => {
    const cluster = await startTestCluster();
    const names = numbered(before);
    await cluster.reconcile(configMaps(...names));
    const result = await cluster.reconcile(configMaps(...names.slice(0, after)));
    const rest = result.objects.slice(after);
    expect(new Set(rest.map(({ state }) => state))).toEqual(new Set([expected]));
    expect(cluster.names("configmaps")).toHaveLength(expected === "held" ? before : after);
  });

  test("leaves namespaces, volumes and definitions, and what says so, unless they allow it", async () => {
    const cluster = await startTestCluster();
    const namespaces = [
      annotated("kept-space", {}, "Namespace"),
      annotated("gone-space", { "bowline.dev/prune": "allowed" }, "Namespace"),
    ];
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const kept = annotated("kept", { "bowline.dev/prune": "disabled" });
    await cluster.reconcile([...namespaces, claim, kept, ...configMaps("stays", "goes")]);
    const result = await cluster.reconcile(configMaps("stays"));
    expect(states(result)).toEqual({
      data: "kept: PruneProtected",
      "gone-space": "pruned",
      goes: "pruned",
      kept: "kept: PruneDisabled",
      "kept-space": "kept: PruneProtected",
      stays: "applied",
    });
    expect(result).toMatchObject({ isPruned: true });
    const rows = (await cluster.inventory()).filter(({ state }) => state === "kept");
    expect(rows.map(({ name }) => name)).toEqual(["kept", "kept-space", "data"]);
    // They may change their mind.
    expect(await cluster.reconcile(configMaps("stays"))).toMatchObject({ isPruned: true });
    const live = cluster.sim.api.get("configmaps", "shop", "kept");
    if (live === undefined) throw new Error("it is there");
    const metadata = { ...live.metadata, annotations: {} };
    cluster.sim.api.update("configmaps", { ...live, metadata });
    const again = await cluster.reconcile(configMaps("stays"));
    expect(states(again)["kept"]).toBe("pruned");
  });

  test("is off: everything stays, and comes back into use", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    const workload = await cluster.workload(configMaps("a"), { policy: { prune: false } });
    expect(states(await cluster.reconcile(workload))).toEqual({ a: "applied", b: "kept: PruneDisabled" });
    expect(states(await cluster.reconcile(configMaps("a", "b")))).toEqual({ a: "applied", b: "applied" });
    await cluster.reconcile(workload);
    // Switched on again, it deletes what was kept only because it was off.
    expect(states(await cluster.reconcile(configMaps("a")))).toEqual({ a: "applied", b: "pruned" });
  });

  test("counts what was there before, however much is new", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps(...numbered(20)));
    const others = numbered(200).map((name) => `other-${name}`);
    const result = await cluster.reconcile(configMaps(...others));
    expect(result).toMatchObject({ isApplied: true, held: { count: 20, total: 20, limit: 10 } });
  });

  test("leaves alone what somebody has made anew under the same name", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    cluster.sim.api.delete("configmaps", "shop", "b");
    const labels = { [instanceLabel]: "web" };
    const metadata = { name: "b", namespace: "shop", labels };
    cluster.sim.api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
    expect(states(await cluster.reconcile(configMaps("a")))).toEqual({
      a: "applied",
      b: "released: Replaced",
    });
    expect(cluster.names("configmaps")).toEqual(["a", "b"]);
    expect(await cluster.inventory()).toHaveLength(1);
  });

  test("never goes by labels: what an operator made with copies of ours is not looked at", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    const metadata = { name: "child", namespace: "shop", labels: { [instanceLabel]: "web" } };
    cluster.sim.api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
    await cluster.reconcile(configMaps("a"));
    expect(cluster.names("configmaps")).toEqual(["a", "child"]);
  });

  test("tells the finalizers that it waits for, and is done when they are", async () => {
    const cluster = await startTestCluster({}, { clock: new ManualClock() });
    const stuck = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "stuck", finalizers: ["example.com/never"] },
    };
    await cluster.reconcile([stuck, ...configMaps("a", "b")]);
    const result = await cluster.reconcile(configMaps("a"));
    expect(states(result)).toEqual({ a: "applied", b: "pruned", stuck: "deleting: BeingDeleted" });
    expect(result.objects.at(-1)?.message).toContain("example.com/never");
    expect(result).toMatchObject({ isPruned: false, retry: undefined });
    expect((await cluster.inventory()).at(-1)).toMatchObject({ name: "stuck", state: "pruning" });
    const live = cluster.sim.api.get("configmaps", "shop", "stuck");
    if (live === undefined) throw new Error("it is there");
    cluster.sim.api.update("configmaps", { ...live, metadata: { ...live.metadata, finalizers: [] } });
    cluster.transport.take();
    expect(states(await cluster.reconcile(configMaps("a")))).toEqual({ a: "applied", stuck: "pruned" });
    expect(cluster.transport.take().filter((request) => request.startsWith("DELETE"))).toEqual([]);
  });

  test("of a kind that the cluster does not have any more has nothing to do", async () => {
    const cluster = await startTestCluster();
    const crd = (allowed: string) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boats.example.com", annotations: { "bowline.dev/prune": allowed } },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Boat", plural: "boats", singular: "boat", listKind: "BoatList" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    });
    const boat = { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "dinghy" } };
    await cluster.reconcile([crd("allowed"), boat, ...configMaps("a")]);
    cluster.sim.api.delete("customresourcedefinitions.apiextensions.k8s.io", undefined, "boats.example.com");
    await cluster.sim.settled();
    await expect
      .poll(() =>
        cluster.sim.api.get("customresourcedefinitions.apiextensions.k8s.io", undefined, "boats.example.com"),
      )
      .toBeUndefined();
    cluster.forgetDiscovery();
    const result = await cluster.reconcile(configMaps("a"));
    expect(states(result)).toEqual({ a: "applied", "boats.example.com": "pruned", dinghy: "pruned" });
  });

  test("goes on where rights are missing for one, and says so", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b", "c"));
    cluster.transport.answer = ({ method, path }) =>
      method === "DELETE" && path.includes("/b")
        ? refusal(
            403,
            "Forbidden",
            'configmaps "b" is forbidden: User "u" cannot delete resource "configmaps"',
          )
        : undefined;
    const result = await cluster.reconcile(configMaps("a"));
    expect(states(result)).toEqual({ a: "applied", b: "failed: Forbidden", c: "pruned" });
    expect(result.isPruned).toBe(false);
    cluster.transport.answer = undefined;
    expect(states(await cluster.reconcile(configMaps("a")))).toEqual({ a: "applied", b: "pruned" });
  });
});

describe("an object that moves to another instance", () => {
  const adopting = [annotated("moved", { "bowline.dev/adopt": "true" })];

  test("is refused by the owner's name, until the owner has let go of it", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "moved"));
    const refused = await cluster.reconcile(configMaps("b", "moved"), { name: "api" });
    expect(states(refused)).toEqual({ b: "applied", moved: "failed: OwnedByOther" });
    expect(refused.objects[1]?.message).toContain("The instance web has this object");
    await cluster.reconcile(configMaps("a"));
    expect(states(await cluster.reconcile(configMaps("b", "moved"), { name: "api" }))).toEqual({
      b: "applied",
      moved: "applied",
    });
    const live = cluster.sim.api.get("configmaps", "shop", "moved");
    expect(live?.metadata.labels).toEqual({ [instanceLabel]: "api" });
  });

  test("with permission goes to the new owner at once, and the old one leaves it alone", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([...configMaps("a"), annotated("moved", {})]);
    const before = cluster.sim.api.get("configmaps", "shop", "moved");
    const adopted = await cluster.reconcile([...configMaps("b"), ...adopting], { name: "api" });
    expect(states(adopted)).toEqual({ b: "applied", moved: "applied" });
    expect(states(await cluster.reconcile(configMaps("a")))).toEqual({ a: "applied" });
    const after = cluster.sim.api.get("configmaps", "shop", "moved");
    expect(after?.metadata.labels).toEqual({ [instanceLabel]: "api" });
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect((await cluster.inventory("api")).map(({ name }) => name)).toEqual(["b", "moved"]);
  });

  test("goes once where both say that they adopt it: the second is refused by the name of the first", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([...configMaps("a"), annotated("moved", {})]);
    await cluster.reconcile(adopting, { name: "api" });
    const workload = await cluster.workload([...configMaps("a"), ...adopting]);
    for (const verify of [false, true, false]) {
      const again = await cluster.reconcile(workload, { verify });
      expect(states(again)).toEqual({ a: "applied", moved: "failed: OwnedByOther" });
      expect(again.objects[1]?.message).toContain("The instance api has this object");
      expect(again.objects[1]?.message).toContain("says itself that it adopts it");
      expect(states(await cluster.reconcile(adopting, { name: "api", verify }))).toEqual({
        moved: "applied",
      });
    }
    const seen = await cluster.engine().diff(workload, { signal: new AbortController().signal });
    expect(seen.objects).toMatchObject([
      { change: "unchanged" },
      { change: "refused", reason: "OwnedByOther" },
    ]);
    await cluster.reconcile([annotated("moved", {})], { name: "api" });
    expect(states(await cluster.reconcile(workload))).toEqual({ a: "applied", moved: "applied" });
    expect(await cluster.inventory("api")).toEqual([]);
  });

  test("is not deleted by an owner from before whose request is late", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile([...configMaps("a"), annotated("moved", {})]);
    let isLate = true;
    cluster.transport.answer = (request) => {
      if (request.method !== "DELETE" || !isLate) return undefined;
      isLate = false;
      return cluster
        .reconcile(adopting, { name: "api" })
        .then(() => cluster.client.transport.request(request));
    };
    const result = await cluster.reconcile(configMaps("a"));
    expect(states(result)).toEqual({ a: "applied", moved: "released: Moved" });
    expect(cluster.names("configmaps")).toEqual(["a", "moved"]);
    expect(await cluster.inventory("api")).toMatchObject([{ name: "moved", state: "applied" }]);
  });
});

describe("an instance that is taken out of a cluster", () => {
  test("asks about no object that the cluster has refused from the first: who may not make it may not look", async () => {
    const cluster = await startTestCluster();
    cluster.transport.answer = forbidB;
    expect(await cluster.reconcile(configMaps("a", "b"))).toMatchObject({ isApplied: false });
    expect((await cluster.inventory()).map(({ name }) => name)).toEqual(["a"]);
    expect(await remove(cluster, "delete")).toMatchObject({ isGone: true });
    expect([cluster.names("configmaps"), await cluster.inventory()]).toEqual([[], []]);
  });

  test("asks about one whose fate is not known, and says who may not look", async () => {
    const whole = await startTestCluster();
    await whole.reconcile(configMaps("b"));
    const cluster = await startTestCluster();
    cluster.transport.cut = { request: whole.transport.requests.length, when: "after" };
    await cluster.reconcile(configMaps("b"));
    cluster.transport.cut = undefined;
    cluster.transport.answer = forbidB;
    await cluster.reconcile(configMaps("b"));
    const result = await remove(cluster, "delete");
    expect(result).toMatchObject({ isGone: false, objects: [{ name: "b", reason: "Forbidden" }] });
    expect(cluster.names("configmaps")).toEqual(["b"]);
  });

  test("deletes everything without a guard, except what is protected, which is nobody's then", async () => {
    const cluster = await startTestCluster();
    const objects = [annotated("space", {}, "Namespace"), ...configMaps(...numbered(30))];
    await cluster.reconcile(objects);
    const result = await remove(cluster, "delete");
    expect(result).toMatchObject({ isGone: true });
    expect(cluster.names("configmaps")).toEqual([]);
    expect(await cluster.inventory()).toEqual([]);
    expect(result.objects.find(({ name }) => name === "space")).toMatchObject({
      state: "released",
      reason: "PruneProtected",
    });
    const space = cluster.sim.api.get("namespaces", undefined, "space");
    expect(space?.metadata.labels?.[instanceLabel]).toBeUndefined();
  });

  test("retains everything: without our label, and free for others to go on with", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    const result = await remove(cluster, "retain");
    expect(states(result)).toEqual({ a: "released: Retained", b: "released: Retained" });
    expect(result.isGone).toBe(true);
    expect(await cluster.inventory()).toEqual([]);
    const live = cluster.sim.api.get("configmaps", "shop", "a");
    expect(live?.["data"]).toEqual({ name: "a" });
    expect(live?.metadata.labels?.[instanceLabel]).toBeUndefined();
    expect(JSON.stringify(live?.metadata.managedFields ?? [])).not.toContain("bowline");
    const other = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "shop" },
      data: { name: "a", other: "x" },
    };
    await cluster.client.apply(resources.configMaps, other, { fieldManager: "somebody" });
  });

  test("retains also what nobody may look at any more", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a"));
    cluster.transport.answer = () => refusal(403, "Forbidden", "no");
    expect(await remove(cluster, "delete")).toMatchObject({ isGone: false, objects: [{ state: "failed" }] });
    expect(await remove(cluster, "retain")).toMatchObject({ isGone: true, objects: [{ state: "released" }] });
    expect(await cluster.inventory()).toEqual([]);
  });

  test("waits for finalizers, and forgets nothing before", async () => {
    const cluster = await startTestCluster({}, { clock: new ManualClock() });
    const metadata = { name: "stuck", finalizers: ["example.com/never"] };
    await cluster.reconcile([{ apiVersion: "v1", kind: "ConfigMap", metadata }, ...configMaps("a")]);
    const result = await remove(cluster, "delete");
    expect(result).toMatchObject({ isGone: false, retry: undefined });
    expect(states(result)).toEqual({ a: "pruned", stuck: "deleting: BeingDeleted" });
    expect((await cluster.inventory()).map(({ name }) => name)).toEqual(["stuck"]);
  });

  test("keeps the order without waiting: what goes later is held back by what hangs, and not for ever", async () => {
    const cluster = await startTestCluster({}, { clock: new ManualClock() });
    const metadata = { name: "stuck", finalizers: ["example.com/never"] };
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "role" },
      rules: [],
    };
    await cluster.reconcile([role, { apiVersion: "v1", kind: "ConfigMap", metadata }]);
    const again = (waitedMs: number) =>
      cluster.engine("web").remove("delete", { signal: new AbortController().signal, waitedMs });
    const waiting = { role: "deleting: BeingDeleted", stuck: "deleting: BeingDeleted" };
    // However long others were waited for, an object that was asked to go just now has its time.
    expect(states(await again(60_000))).toEqual(waiting);
    expect(states(await again(9_999))).toEqual(waiting);
    const isThere = (): boolean =>
      cluster.sim.api.get("clusterroles.rbac.authorization.k8s.io", undefined, "role") !== undefined;
    expect(isThere()).toBe(true);
    expect(states(await again(10_000))).toEqual({ role: "pruned", stuck: "deleting: BeingDeleted" });
    expect(isThere()).toBe(false);
  });
});
