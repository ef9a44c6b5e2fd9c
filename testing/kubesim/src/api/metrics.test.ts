import { ManualClock } from "@bowline/core/testing";
import { expect, onTestFinished, test } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { ApiClient } from "./testing/api-client.ts";

const metrics = "/apis/metrics.k8s.io/v1beta1";

/** A node with a pod that asks for half a core and runs, and one that does not run. */
async function start(hasMetrics: boolean): Promise<{ sim: Kubesim; client: ApiClient; clock: ManualClock }> {
  const clock = new ManualClock();
  const sim = await startKubesim({ tls: false, controllers: false, clock, metrics: hasMetrics });
  onTestFinished(() => sim.stop());
  sim.api.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "one" } });
  for (const [name, phase] of [
    ["web", "Running"],
    ["later", "Pending"],
  ] as const) {
    const pod = sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", labels: { app: name } },
      spec: {
        nodeName: "one",
        containers: [{ name: "c", image: "i:1", resources: { requests: { cpu: "500m", memory: "1Gi" } } }],
      },
    });
    sim.api.updateStatus("pods", { ...pod, status: { phase } });
  }
  return { sim, client: new ApiClient(sim), clock };
}

/** In cores; metrics-server tells billionths of them. */
function cpuIn(body: unknown): number {
  return Number(/"cpu":"(\d+)n"/u.exec(JSON.stringify(body))?.[1]) / 1e9;
}

test("is not there unless it is asked for", async () => {
  const { client } = await start(false);
  expect((await client.get(`${metrics}/nodes`)).status).toBe(404);
  expect(JSON.stringify((await client.get("/apis")).body)).not.toContain("metrics.k8s.io");
});

test("tells what running pods use, of what they ask for, and nodes all of it", async () => {
  const { client } = await start(true);
  const { body } = await client.get(metrics);
  expect(body).toMatchObject({
    resources: [
      { name: "nodes", kind: "NodeMetrics", namespaced: false, verbs: ["get", "list"] },
      { name: "pods", kind: "PodMetrics", namespaced: true, verbs: ["get", "list"] },
    ],
  });
  const pods = await client.get(`${metrics}/namespaces/default/pods`);
  expect(pods.at("kind")).toBe("PodMetricsList");
  expect(pods.at("items")).toMatchObject([{ metadata: { name: "web" }, containers: [{ name: "c" }] }]);
  const pod = await client.get(`${metrics}/namespaces/default/pods/web`);
  const used = cpuIn(pod.body);
  expect(used).toBeGreaterThan(0.1);
  expect(used).toBeLessThan(0.5);
  const node = await client.get(`${metrics}/nodes/one`);
  expect(node.at("kind")).toBe("NodeMetrics");
  expect(cpuIn(node.body)).toBeGreaterThan(used);
  expect((await client.get(`${metrics}/namespaces/default/pods/later`)).status).toBe(404);
  expect((await client.get(`${metrics}/pods?labelSelector=app%3Dother`)).at("items")).toEqual([]);
});

test("changes with the time, and is the same within one measurement", async () => {
  const { client, clock } = await start(true);
  const usage = async (): Promise<unknown> => (await client.get(`${metrics}/nodes/one`)).body;
  const first = await usage();
  expect(await usage()).toEqual(first);
  await clock.advance(15_000);
  expect(await usage()).not.toEqual(first);
});

test("can be read, and not written", async () => {
  const { client } = await start(true);
  expect((await client.post(`${metrics}/nodes`, { metadata: { name: "two" } })).status).toBe(405);
});
