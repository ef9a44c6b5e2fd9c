import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { structuralProblems } from "../testing/structural-problems.ts";
import { workloadDefinition, type WorkloadResourceSpec } from "./workload-resource.ts";

const path = "/apis/bowline.dev/v1alpha1/workloads";
let sim: Kubesim;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", workloadDefinition());
  // "Established" comes a moment before the server answers for the new kind.
  await vi.waitFor(
    async () => {
      if ((await send("GET", path)).status !== 200) throw new Error("Not served yet.");
    },
    { timeout: 20_000 },
  );
});
afterAll(() => sim?.stop());

async function send(method: string, to: string, body?: object, accept = "application/json") {
  const response = await fetch(new URL(to, sim.url), {
    method,
    headers: { authorization: `Bearer ${sim.adminToken}`, "content-type": "application/json", accept },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

const deployment = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
  uid: "u1",
};
const spec: WorkloadResourceSpec = {
  instanceId: "018f0000-0000-7000-8000-000000000000",
  revision: "sha256:0123",
  resources: [deployment, { group: "", version: "v1", kind: "Namespace", name: "shop" }],
};

const workload = (name: string, more: object): object => ({
  apiVersion: "bowline.dev/v1alpha1",
  kind: "Workload",
  metadata: { name },
  spec: { ...spec, ...more },
});

describe("the Workload custom resource", () => {
  test("looks like this", () => {
    const definition = workloadDefinition();
    expect(definition).toMatchSnapshot();
    const [version] = definition.spec.versions;
    expect(structuralProblems(version?.schema.openAPIV3Schema ?? {})).toEqual([]);
  });

  test("is kept as it was written, and has a status that only its subresource writes", async () => {
    const created = await send("POST", path, workload("web", {}));
    expect(created).toMatchObject({ status: 201, body: { spec } });
    const status = {
      observedGeneration: 1,
      conditions: [],
      health: "Healthy",
      resourceCount: 2,
      healthyCount: 2,
    };
    const replaced = await send("PUT", `${path}/web`, { ...created.body, status });
    expect(replaced.body["status"]).toBeUndefined();
    const written = await send("PUT", `${path}/web/status`, { ...replaced.body, status });
    expect(written.body["status"]).toEqual(status);
  });

  test("shows in a table how it does", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await send("GET", path, undefined, accept);
    const columns = body["columnDefinitions"] as { readonly name: string; readonly priority: number }[];
    const shown = columns.filter(({ priority }) => priority === 0).map(({ name }) => name.toUpperCase());
    expect(shown).toEqual(["NAME", "HEALTH", "HEALTHY", "RESOURCES", "REVISION", "AGE"]);
  });

  test("may name two thousand resources, each of any length, and no more", async () => {
    const many = (count: number): object =>
      workload("many", {
        resources: Array.from({ length: count }, (_, index) => ({ ...deployment, name: `web-${index}` })),
      });
    expect((await send("POST", path, many(2_000))).status).toBe(201);
    expect((await send("POST", path, many(2_001))).status).toBe(422);
  });

  test.each([
    ["without its resources", { resources: undefined }],
    ["with a resource that has no kind", { resources: [{ ...deployment, kind: undefined }] }],
    ["with a name of two lines", { resources: [{ ...deployment, name: "a\nb" }] }],
  ])("%s is refused", async (_, more) => {
    expect((await send("POST", path, workload("bad", more))).status).toBe(422);
  });
});
