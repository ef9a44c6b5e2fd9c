import { readFileSync } from "node:fs";

import { gone, observed, observedEvent, TestAgent, TestReport } from "@bowline/gateway/testing";
import { healthFacts } from "@bowline/health";
import { placement } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { send, type RequestOptions } from "./testing/https-request.ts";
import { startTestServer, tempFolder } from "./testing/start-test-server.ts";

const deployment = JSON.stringify(
  healthFacts({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 1 },
    spec: { replicas: 1, template: { spec: { containers: [{ env: [{ name: "KEY", value: "canary" }] }] } } },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
  }),
);

/** A server with a cluster `edge`, an instance that is placed in it, and its agent. */
async function start() {
  const data = await tempFolder();
  const server = await startTestServer({ "--data": data });
  const ca = readFileSync(server.caFile ?? "", "utf8");
  const { url, adminToken: token = "" } = server;
  const ask = async (path: string, options: RequestOptions = {}) => {
    const { status, body } = await send(`${url}${path}`, { ca, token, ...options });
    return { status, body: body === "" ? undefined : JSON.parse(body) };
  };
  const create = async (path: string, name: string, spec: object): Promise<void> => {
    const answer = await ask(`/api/v1/${path}`, { method: "POST", body: { metadata: { name }, spec } });
    expect(answer).toMatchObject({ status: 201 });
  };
  await create("clusters", "edge", {});
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n";
  await create("workloaddefinitions", "web", { source: { inline: { manifests } } });
  await create("workloadinstances", "web", { definition: "web", placement: { clusters: ["edge"] } });
  const agent = new TestAgent({ url, ca });
  // The controller of instances may have been quicker.
  const { metadata, spec } = placement("web", "edge");
  const placed = await ask("/api/v1/workloadplacements", { method: "POST", body: { metadata, spec } });
  expect([201, 409]).toContain(placed.status);
  const made = await ask("/api/v1/clusters/edge/join-tokens", { method: "POST" });
  await agent.join(made.body.token);
  return { ask, agent };
}

test("what an agent reports is in the API, as a tree and as events, and says nothing that it did not", async () => {
  const { ask, agent } = await start();
  const report = new TestReport(agent, await agent.open());
  await report.begin(1);
  const { refused } = await report.batch(1, observed("u1", { facts: deployment }), observedEvent("e1"));
  expect(refused).toEqual([]);
  await report.complete(2);
  const tree = await ask("/api/v1/workloadinstances/web/tree?cluster=edge");
  expect(tree).toMatchObject({ status: 200 });
  const found = tree.body.clusters[0].resources.find(({ kind }: { kind: string }) => kind === "Deployment");
  expect(found).toMatchObject({ health: "Healthy", uid: "u1" });
  expect(JSON.stringify(tree.body)).not.toContain("canary");
  expect((await ask("/api/v1/events?instance=web&cluster=edge")).body).toMatchObject({
    items: [{ reason: "BackOff", source: "kubernetes", regarding: { kind: "Pod", cluster: "edge" } }],
  });
  await report.batch(3, gone("u1"));
  const later = await ask("/api/v1/workloadinstances/web/tree");
  expect(JSON.stringify(later.body)).not.toContain('"u1"');
});
