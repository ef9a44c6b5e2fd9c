/** Our definitions on a simulated API server; `monitoring-definitions.cluster.test.ts` does the same on a real one. */
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { monitoringApiVersion } from "../model/kube-object.ts";
import { badAgentSpecs, fullAgentSpec, fullInstanceSpec } from "../testing/resource-cases.ts";
import { monitoringDefinitions } from "./monitoring-definitions.ts";

let sim: Kubesim;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(new URL(path, sim.url), {
    method,
    headers: { authorization: `Bearer ${sim.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function sendOk(method: string, path: string, body?: object): Promise<void> {
  const answer = await send(method, path, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

const folder = `/apis/${monitoringApiVersion}/namespaces/default`;
const paths = { MetricsAgent: `${folder}/metricsagents`, MetricsInstance: `${folder}/metricsinstances` };

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  for (const definition of monitoringDefinitions()) {
    await sendOk("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  await vi.waitFor(() => Promise.all(Object.values(paths).map((path) => sendOk("GET", path))), {
    timeout: 20_000,
  });
});
afterAll(() => sim?.stop());

function create(kind: keyof typeof paths, name: string, spec: object): Promise<Answer> {
  return send("POST", paths[kind], { apiVersion: monitoringApiVersion, kind, metadata: { name }, spec });
}

describe("a MetricsAgent", () => {
  test("may say nothing, and gets its defaults", async () => {
    const { body } = await create("MetricsAgent", "empty", {});
    expect(body["spec"]).toEqual({ paused: false, replicas: 1, shards: 1 });
  });

  test("keeps everything that it may say", async () => {
    const { body } = await create("MetricsAgent", "full", fullAgentSpec);
    expect(body["spec"]).toMatchObject(fullAgentSpec);
  });

  test.each(badAgentSpecs)("with %s is refused", async (_, spec, field) => {
    const { status, body } = await create("MetricsAgent", "bad", spec);
    expect(status).toBe(422);
    expect(body["message"]).toContain(field);
  });

  test("has a status that only its subresource writes", async () => {
    const { body: agent } = await create("MetricsAgent", "status", {});
    const path = `${paths.MetricsAgent}/status`;
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Running",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      observedGeneration: 1,
    };
    const status = { observedGeneration: 1, conditions: [condition], shards: 3 };
    const replaced = await send("PUT", path, { ...agent, status });
    expect(replaced.body["status"]).toBeUndefined();
    const written = await send("PUT", `${path}/status`, { ...replaced.body, status });
    expect(written.body["status"]).toEqual(status);
    const half = { ...written.body, status: { conditions: [{ type: "Ready" }] } };
    const refused = await send("PUT", `${path}/status`, half);
    expect(refused.body["message"]).toContain("status.conditions");
  });
});

test("a MetricsInstance keeps everything that it may say", async () => {
  const { body } = await create("MetricsInstance", "full", fullInstanceSpec);
  expect(body["spec"]).toMatchObject(fullInstanceSpec);
});
