import { describe, expect, test } from "vitest";

import { ObservedCluster } from "../testing/observed-cluster.ts";
import { ObservedGraph } from "../testing/observed-graph.ts";
import { service, widgetBody, widgets } from "../testing/sample-objects.ts";

const canary = "CANARY-9c1d";

const podBody = (env: object[] = []): object => ({
  apiVersion: "v1",
  kind: "Pod",
  spec: {
    serviceAccountName: "web",
    containers: [{ name: "a", image: "shop/web:1", env, args: [canary] }],
    volumes: [{ name: "keys", secret: { secretName: "keys" } }],
  },
});

/** A cluster with a pod that uses a Secret, and a Service. */
async function start(): Promise<ObservedCluster> {
  const cluster = await ObservedCluster.start();
  const env = [{ name: "PASSWORD", value: canary }];
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${canary}"}`,
    note: canary,
  };
  const data = { password: Buffer.from(canary).toString("base64") };
  const secret = { name: "keys", annotations };
  cluster.create("secrets", { kind: "Secret", data }, secret);
  cluster.create("configmaps", { kind: "ConfigMap", data: { password: canary } }, { name: "settings" });
  const described = { name: "web-1", annotations };
  cluster.create("pods", podBody(env), described);
  cluster.create("services", service, { name: "web" });
  return cluster;
}

async function complete(graph: ObservedGraph): Promise<ObservedGraph> {
  await graph.until(() => graph.isComplete).toBe(true);
  return graph;
}

describe("the graph", () => {
  test("is told as the facts of each object, and no value of anything is among them", async () => {
    const cluster = await start();
    const graph = await complete(new ObservedGraph(cluster));
    expect(graph.names("Pod")).toEqual(["web-1"]);
    expect(graph.names("Secret")).toContain("keys");
    expect(graph.names("Namespace")).toContain("default");
    const text = [...graph.facts.values()].map(({ facts }) => Buffer.from(facts ?? []).toString()).join("\n");
    // What is no secret is there to be read, so that the search below can find something.
    expect(text).toContain("PASSWORD");
    expect(text).toContain("USES_SECRET");
    expect(text).not.toContain(canary);
    expect(text).not.toContain(Buffer.from(canary).toString("base64"));
    expect(graph.stateOf("/Pod")).toBe("OBSERVED");
    expect(graph.stateOf("gateway.networking.k8s.io/HTTPRoute")).toBe("ABSENT");
  });

  test("leaves out what has a name too long to be sent, which Kubernetes allows for roles", async () => {
    const cluster = await start();
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", rules: [] };
    for (const name of ["short", "x".repeat(1_000_000)])
      cluster.create("roles.rbac.authorization.k8s.io", role, { name });
    const graph = await complete(new ObservedGraph(cluster));
    expect(graph.names("Role").filter((name) => name.startsWith("x"))).toEqual([]);
    expect(graph.names("Role")).toContain("short");
  });

  test("is told again where a fact changes, and not where none does", async () => {
    const cluster = await start();
    const { api } = cluster.sim;
    const graph = await complete(new ObservedGraph(cluster));
    graph.told.length = 0;
    const pod = api.get("pods", "default", "web-1");
    expect(pod).toBeDefined();
    if (pod === undefined) return;
    const managed = api.update("pods", { ...pod, metadata: { ...pod.metadata, annotations: { beat: "1" } } });
    const labels = { app: "web" };
    const now = api.get("services", "default", "web");
    if (now !== undefined) api.update("services", { ...now, metadata: { ...now.metadata, labels } });
    await graph.until(() => graph.told).toEqual(["web"]);
    api.update("pods", { ...managed, metadata: { ...managed.metadata, labels } });
    await graph.until(() => graph.told).toEqual(["web", "web-1"]);
    api.delete("pods", "default", "web-1");
    await graph.until(() => graph.names("Pod")).toEqual([]);
    expect(graph.gone).toEqual([pod.metadata.uid]);
  });

  test("an agent that begins anew sends what differs from what the server knows, and what is gone", async () => {
    const cluster = await start();
    const { api } = cluster.sim;
    const before = await complete(new ObservedGraph(cluster));
    await before.stop();
    const [pod, web] = [api.get("pods", "default", "web-1"), api.get("services", "default", "web")];
    api.delete("pods", "default", "web-1");
    cluster.create("pods", podBody(), { name: "web-2" });
    if (web !== undefined) {
      api.update("services", { ...web, metadata: { ...web.metadata, labels: { app: "web" } } });
    }
    const after = await complete(new ObservedGraph(cluster, { known: before.known() }));
    expect(after.told.sort()).toEqual(["web", "web-2"]);
    expect(after.gone).toEqual([pod?.metadata.uid]);
  });

  test("of a kind that may not be read nothing goes, and that is said with the rule to add", async () => {
    const cluster = await start();
    const { api, faults } = cluster.sim;
    const before = await complete(new ObservedGraph(cluster));
    await before.stop();
    const uid = api.get("secrets", "default", "keys")?.metadata.uid;
    api.delete("secrets", "default", "keys");
    const refusing = faults.failRequests({ resource: "secrets", code: 403 });
    const after = await complete(new ObservedGraph(cluster, { known: before.known() }));
    expect(after.stateOf("/Secret")).toBe("FORBIDDEN");
    expect(after.coverage.get("/Secret")?.message).toContain('"resources":["secrets"]');
    expect([after.gone, after.told]).toEqual([[], []]);
    refusing.remove();
    await after.until(() => after.stateOf("/Secret")).toBe("OBSERVED");
    expect(after.gone).toEqual([uid]);
  });

  test("a right that is lost while everything is watched removes nothing", async () => {
    const cluster = await start();
    const { api, faults } = cluster.sim;
    const graph = await complete(new ObservedGraph(cluster));
    const services = graph.names("Service");
    const refusing = faults.failRequests({ resource: "services", code: 403 });
    faults.dropWatches({ resource: "services" });
    await graph.until(() => graph.stateOf("/Service")).toBe("FORBIDDEN");
    expect(graph.names("Service")).toEqual(services);
    api.delete("services", "default", "web");
    refusing.remove();
    await graph.until(() => graph.stateOf("/Service")).toBe("OBSERVED");
    await graph.until(() => graph.names("Service")).toEqual(services.filter((name) => name !== "web"));
  });

  test("a kind that cannot be read is tried again and told as failing, and no other kind is disturbed", async () => {
    const cluster = await start();
    const { faults } = cluster.sim;
    const failing = faults.failRequests({ resource: "services", code: 500 });
    const graph = new ObservedGraph(cluster);
    await graph.until(() => graph.stateOf("/Service")).toBe("FAILING");
    expect(graph.coverage.get("/Service")?.message).toContain("Could not watch services");
    // Pods come after what may own them, unless that takes too long.
    await graph.until(() => graph.stateOf("/Pod")).toBe("OBSERVED");
    expect(graph.names("Service")).toEqual([]);
    const asked = failing.hits;
    await graph.until(() => failing.hits).toBeGreaterThan(asked);
    failing.remove();
    await graph.until(() => graph.stateOf("/Service")).toBe("OBSERVED");
    expect(graph.names("Service")).toContain("web");
  });

  test("a kind that comes later is taken up, and its objects go with it", async () => {
    const cluster = await start();
    const { api } = cluster.sim;
    const moreResources = [{ group: "example.com", resource: "widgets" }];
    const graph = await complete(new ObservedGraph(cluster, { moreResources }));
    api.create("customresourcedefinitions.apiextensions.k8s.io", widgets("widgets", "Widget"));
    await cluster.served("/apis/example.com/v1/widgets");
    cluster.create("widgets.example.com", widgetBody("Widget"), { name: "big" });
    await graph.until(() => graph.names("Widget")).toEqual(["big"]);
    await graph.until(() => graph.stateOf("example.com/Widget")).toBe("OBSERVED");
    api.delete("customresourcedefinitions.apiextensions.k8s.io", undefined, "widgets.example.com");
    cluster.sim.faults.dropWatches({});
    await graph.until(() => graph.stateOf("example.com/Widget")).toBe("ABSENT");
    expect(graph.names("Widget")).toEqual([]);
  });

  test("numbers about the cluster are told when they change", async () => {
    const cluster = await start();
    const graph = await complete(new ObservedGraph(cluster));
    const running = { phase: "Running" };
    await graph.until(() => graph.views.get("pods-by-namespace")).toEqual({ "default/Pending": 1 });
    const pod = cluster.sim.api.get("pods", "default", "web-1");
    if (pod !== undefined) cluster.sim.api.updateStatus("pods", { ...pod, status: running });
    await graph.until(() => graph.views.get("pods-by-phase")).toEqual({ Running: 1 });
    expect(graph.views.get("nodes")).toMatchObject({ count: expect.any(Number) });
  });

  test("what there is no room for is read again, and what goes before it is sent is never told", async () => {
    const cluster = await start();
    const graph = new ObservedGraph(cluster, { limits: { maxItems: 20, maxBytes: 1e6 } });
    graph.isAway = true;
    for (let count = 0; count < 60; count++) cluster.create("services", service, { name: `s${count}` });
    await graph.until(() => graph.observer.deferred).toBeGreaterThan(40);
    cluster.sim.api.delete("services", "default", "s7");
    graph.isAway = false;
    graph.take();
    await complete(graph);
    expect(graph.names("Service")).toHaveLength(61);
    expect(graph.names("Service")).not.toContain("s7");
  });
});
