/** The definitions as they are shipped, on a real API server. */
import { fileURLToPath } from "node:url";

import { startApiServer, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { monitoringApiVersion } from "../model/kube-object.ts";
import { badAgentSpecs, fullAgentSpec, fullInstanceSpec } from "../testing/resource-cases.ts";
import { monitoringDefinitions } from "./monitoring-definitions.ts";

const files = fileURLToPath(new URL("../../../../deploy/crds", import.meta.url));
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  await server.kubectl(["apply", "-f", files]);
  const names = monitoringDefinitions().map(({ metadata }) => `crd/${metadata.name}`);
  await server.kubectl(["wait", "--for=condition=Established", ...names, "--timeout=150s"]);
  // "Established" comes a moment before the server answers for the new kinds.
  await vi.waitFor(() => server.kubectl(["get", "metricsagents,metricsinstances"]), { timeout: 60_000 });
});
afterAll(() => server?.stop());

/** Creates an object and returns its spec as the server keeps it. */
async function create(kind: string, name: string, spec: object): Promise<unknown> {
  const object = { apiVersion: monitoringApiVersion, kind, metadata: { name }, spec };
  // kubectl would refuse some of it itself as soon as the server has published the schema, some time after the start.
  const args = ["create", "--validate=false", "-o", "json", "-f", "-"];
  const created: { spec: unknown } = JSON.parse(
    await server.kubectl(args, { input: JSON.stringify(object) }),
  );
  return created.spec;
}

test("the definitions are structural", async () => {
  const conditions = await server.kubectl([
    "get",
    "crd",
    "-o",
    "jsonpath={.items[*].status.conditions[*].type}",
  ]);
  expect(conditions).toContain("Established");
  expect(conditions).not.toContain("NonStructuralSchema");
});

describe("a MetricsAgent", () => {
  test("may say nothing, gets its defaults and is shown in its columns", async () => {
    expect(await create("MetricsAgent", "empty", {})).toEqual({ paused: false, replicas: 1, shards: 1 });
    const [header, row] = (await server.kubectl(["get", "mag", "empty"])).split("\n");
    expect(header?.trim().split(/\s+/u)).toEqual(
      "NAME SHARDS REPLICAS MONITORS REJECTED TARGETS READY AGE".split(" "),
    );
    expect(row).toMatch(/^empty +1 +1 /u);
  });

  test("keeps everything that it may say", async () => {
    expect(await create("MetricsAgent", "full", fullAgentSpec)).toMatchObject(fullAgentSpec);
  });

  test.each(badAgentSpecs)("with %s is refused", async (_, spec, field) => {
    await expect(create("MetricsAgent", "bad", spec)).rejects.toThrow(field);
  });

  test("has a status that only its subresource writes", async () => {
    await create("MetricsAgent", "status", {});
    const patch = JSON.stringify({ status: { shards: 3 } });
    await server.kubectl(["patch", "mag", "status", "--type=merge", "-p", patch]);
    expect(await server.kubectl(["get", "mag", "status", "-o", "jsonpath={.status}"])).toBe("");
  });
});

test("a MetricsInstance keeps everything that it may say", async () => {
  expect(await create("MetricsInstance", "full", fullInstanceSpec)).toMatchObject(fullInstanceSpec);
});
