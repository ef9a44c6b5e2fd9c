import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { ApiClient } from "./testing/api-client.ts";

let sim: Kubesim;
let client: ApiClient;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  client = new ApiClient(sim);
});
afterAll(() => sim.stop());

const pods = "/api/v1/namespaces/default/pods";

function addPod(name: string, labels: Record<string, string> = {}): void {
  sim.api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels },
    spec: { containers: [{ name: "c", image: "i:1" }] },
  });
}

describe("subresources", () => {
  it("make no object by being applied", async () => {
    const applied = { apiVersion: "v1", kind: "Pod", metadata: { name: "nobody" }, status: { message: "m" } };
    const answer = await client.patch(`${pods}/nobody/status?fieldManager=m`, "apply", applied);
    expect(answer).toMatchObject({ status: 404, body: { reason: "NotFound" } });
  });

  it("scale a workload, and show its selector as text", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    await client.post(deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "c", image: "i:1" }] },
        },
      },
    });
    const scale = await client.get(`${deployments}/web/scale`);
    expect(scale.body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 1 },
      status: { replicas: 0, selector: "app=web" },
    });
    const put = await client.put(`${deployments}/web/scale`, {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 4 },
    });
    expect(put.at("spec.replicas")).toBe(4);
    const live = await client.get(`${deployments}/web`);
    expect([live.at("spec.replicas"), live.at("metadata.generation")]).toEqual([4, 2]);
    const negative = await client.patch(`${deployments}/web/scale`, "merge", { spec: { replicas: -1 } });
    expect(negative.status).toBe(422);
  });

  it("bind a pod to a node, once", async () => {
    addPod("unbound");
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "unbound" },
      target: { name: "node-1" },
    };
    expect((await client.post(`${pods}/unbound/binding`, binding)).status).toBe(201);
    expect((await client.get(`${pods}/unbound`)).at("spec.nodeName")).toBe("node-1");
    const again = await client.post(`${pods}/unbound/binding`, binding);
    expect([again.status, again.at("message")]).toEqual([
      409,
      'Operation cannot be fulfilled on pods "unbound": pod unbound is already assigned to node "node-1"',
    ]);
  });

  it("evict a pod only as far as its budget allows", async () => {
    addPod("evicted", { app: "guarded" });
    const pod = sim.api.get("pods", "default", "evicted");
    if (pod)
      sim.api.updateStatus("pods", {
        ...pod,
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
    const budget = sim.api.create("poddisruptionbudgets.policy", {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "guard", namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
    });
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "evicted", namespace: "default" },
    };
    const refused = await client.post(`${pods}/evicted/eviction`, eviction);
    expect([refused.status, refused.at("reason")]).toEqual([429, "TooManyRequests"]);
    sim.api.updateStatus("poddisruptionbudgets.policy", {
      ...budget,
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      },
    });
    expect((await client.post(`${pods}/evicted/eviction`, eviction)).status).toBe(201);
    expect((await client.get(`${pods}/evicted`)).status).toBe(404);
  });

  it("are not found where a kind has none, and not allowed where the verb is wrong", async () => {
    expect((await client.get("/api/v1/namespaces/default/configmaps/a/status")).status).toBe(404);
    addPod("plain");
    expect((await client.get(`${pods}/plain/binding`)).status).toBe(405);
    expect((await client.post(`${pods}/plain`, {})).status).toBe(405);
    expect((await client.get("/api/v1/namespaces/default/nothings")).status).toBe(404);
    expect((await client.get("/apis/nothing.example.com/v1/things")).status).toBe(404);
  });
});

describe("events", () => {
  it("are the same objects in both of their groups", async () => {
    await client.post("/apis/events.k8s.io/v1/namespaces/default/events", {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e1" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/controller",
      reportingInstance: "one",
      action: "Testing",
      reason: "Tested",
      type: "Normal",
      note: "a note",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
    });
    const core = await client.get("/api/v1/namespaces/default/events/e1");
    expect(core.body).toMatchObject({
      apiVersion: "v1",
      message: "a note",
      reportingComponent: "example.com/controller",
      involvedObject: { kind: "Pod", name: "p" },
    });
    const found = await client.get("/api/v1/events?fieldSelector=involvedObject.name%3Dp,reason%3DTested");
    expect(found.at("items")).toHaveLength(1);
    const back = await client.get("/apis/events.k8s.io/v1/namespaces/default/events/e1");
    expect(back.body).toMatchObject({ note: "a note", regarding: { name: "p" } });
  });
});

describe("horizontal pod autoscalers", () => {
  it("convert between their versions", async () => {
    await client.post("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 70,
      },
    });
    const v2 = await client.get("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/h");
    expect(v2.at("spec.metrics")).toEqual([
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
      },
    ]);
    const v1 = await client.get("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/h");
    expect(v1.at("spec.targetCPUUtilizationPercentage")).toBe(70);
  });
});

describe("services", () => {
  it("get an address and keep it", async () => {
    const services = "/api/v1/namespaces/default/services";
    const service = (name: string, spec: object): object => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    const made = await client.post(services, service("a", {}));
    expect(made.at("spec.clusterIP")).toMatch(/^10\.96\.\d+\.\d+$/);
    const replaced = await client.put(`${services}/a`, service("a", { selector: { x: "y" } }));
    expect(replaced.at("spec.clusterIP")).toBe(made.at("spec.clusterIP"));
    const taken = await client.post(services, service("b", { clusterIP: made.at("spec.clusterIP") }));
    expect(taken.status).toBe(422);
    expect((await client.post(services, service("c", { clusterIP: "None" }))).at("spec.clusterIP")).toBe(
      "None",
    );
    const moved = await client.patch(`${services}/a`, "merge", { spec: { clusterIP: "10.96.9.9" } });
    expect(moved.status).toBe(422);
  });
});
