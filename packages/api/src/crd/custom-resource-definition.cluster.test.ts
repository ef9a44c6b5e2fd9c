import { startApiServer, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { kinds } from "../kinds/kinds.ts";
import { sampleResource } from "../testing/sample-resource.ts";
import { customResourceDefinition, type CustomResourceDefinition } from "./custom-resource-definition.ts";
import { workloadDefinition } from "./workload-resource.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server?.stop());

/** Installs a definition and returns the types of the conditions the API server gave it. */
async function install(definition: CustomResourceDefinition): Promise<string[]> {
  const { name } = definition.metadata;
  await server.kubectl(["create", "-f", "-"], { input: JSON.stringify(definition) });
  await server.kubectl(["wait", "--for=condition=Established", `crd/${name}`, "--timeout=150s"]);
  const conditions = await server.kubectl([
    "get",
    "crd",
    name,
    "-o",
    "jsonpath={.status.conditions[*].type}",
  ]);
  return conditions.split(" ");
}

describe("a custom resource", () => {
  let conditions: string[];
  beforeAll(async () => {
    conditions = await install(sampleResource());
    // "Established" comes a moment before the server answers for the new kind.
    await vi.waitFor(() => server.kubectl(["get", "samples"]), { timeout: 60_000 });
  });

  test("has a structural schema", () => {
    expect(conditions).toContain("Established");
    expect(conditions).not.toContain("NonStructuralSchema");
  });

  function create(name: string, spec: object): Promise<string> {
    const sample = { apiVersion: "test.bowline.dev/v1alpha1", kind: "Sample", metadata: { name }, spec };
    // kubectl would refuse some of it itself as soon as the server has published the schema, some time after the start.
    return server.kubectl(["create", "--validate=false", "-f", "-"], { input: JSON.stringify(sample) });
  }

  test("gets its defaults and is shown in its columns", async () => {
    const ports = [
      { name: "http", port: 80 },
      { name: "metrics", port: "prom" },
    ];
    await create("one", { replicas: 3, ports, zones: ["a"], labels: { team: "shop" } });
    const spec = JSON.parse(await server.kubectl(["get", "smp", "one", "-o", "jsonpath={.spec}"]));
    expect(spec).toEqual({ mode: "safe", replicas: 3, ports, zones: ["a"], labels: { team: "shop" } });
    const [header, row] = (await server.kubectl(["get", "samples", "one", "-o", "wide"])).split("\n");
    expect(header?.trim().split(/\s+/)).toEqual(["NAME", "REPLICAS", "READY", "LAST-CHANGE", "AGE"]);
    expect(row).toMatch(/^one\s+3\s/);
  });

  const port = { name: "http", port: 80 };
  // 1.20 leaves out which item of a list has the wrong type.
  test.each<[string, object, string | RegExp]>([
    ["a field that is missing", { mode: "fast" }, "spec.replicas"],
    ["a choice that is none", { replicas: 1, mode: "wild" }, "spec.mode"],
    ["a number beyond its limit", { replicas: 10 }, "spec.replicas"],
    [
      "a port of the wrong type",
      { replicas: 1, ports: [{ name: "http", port: true }] },
      /spec\.ports(\[0\])?\.port/,
    ],
    ["a port twice", { replicas: 1, ports: [port, port] }, "spec.ports[1]"],
    ["a zone twice", { replicas: 1, zones: ["a", "a"] }, "spec.zones[1]"],
  ])("with %s is refused", async (_, spec, field) => {
    await expect(create("bad", spec)).rejects.toThrow(field);
  });
});

test.each(kinds)("takes the schemas of $kind", async (kind) => {
  const definition = customResourceDefinition({
    group: "kinds.bowline.dev",
    version: "v1",
    kind: kind.kind,
    plural: kind.plural,
    scope: "Cluster",
    description: kind.description,
    spec: kind.spec,
    status: kind.status,
    columns: kind.columns.filter(({ format = "text", of }) => of === undefined && /text|age/u.test(format)),
  });
  expect(await install(definition)).not.toContain("NonStructuralSchema");
});

test("takes the definition of Workloads, and shows how they do", async () => {
  expect(await install(workloadDefinition())).not.toContain("NonStructuralSchema");
  await vi.waitFor(() => server.kubectl(["get", "workloads.bowline.dev"]), { timeout: 60_000 });
  const resource = { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" };
  const workload = {
    apiVersion: "bowline.dev/v1alpha1",
    kind: "Workload",
    metadata: { name: "shop" },
    spec: { instanceId: "i", revision: "sha256:01", resources: [resource] },
  };
  await server.kubectl(["create", "-f", "-"], { input: JSON.stringify(workload) });
  const [header, row] = (await server.kubectl(["get", "bwl"])).split("\n");
  expect(header?.trim().split(/\s+/)).toEqual(["NAME", "HEALTH", "HEALTHY", "RESOURCES", "REVISION", "AGE"]);
  expect(row).toMatch(/^shop\s+sha256:01\s/);
});

test("refuses a schema that is not structural, so the tests above can fail", async () => {
  const definition = structuredClone(sampleResource());
  const schema = definition.spec.versions[0]?.schema.openAPIV3Schema;
  await expect(
    install({
      ...definition,
      spec: {
        ...definition.spec,
        versions: definition.spec.versions.map((version) => ({
          ...version,
          schema: { openAPIV3Schema: { ...schema, additionalProperties: { type: "string" } } },
        })),
      },
    }),
  ).rejects.toThrow("additionalProperties");
});
