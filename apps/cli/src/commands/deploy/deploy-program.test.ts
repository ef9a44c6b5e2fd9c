import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Cluster, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../../testing/object-server.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
  for (const [name, tier] of [
    ["east", "gold"],
    ["west", "iron"],
  ] as const) {
    await server.client.create(Cluster, { metadata: { name, labels: { tier } }, spec: {} });
  }
});
afterAll(() => server[Symbol.asyncDispose]());

async function programOf(data: string): Promise<string> {
  const temp = await createTempFolder("deploy-program");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const path = join(temp.path, "web.ts");
  await writeFile(
    path,
    `export default ({ parameters, cluster }: any) => [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: ${data} }];\n`,
  );
  return path;
}

async function manifestsOf(name: string): Promise<string> {
  const { spec } = await server.client.get(WorkloadDefinition, name);
  return spec.source.inline?.manifests ?? "";
}

test("what a program makes is deployed like a file, with references for what each cluster decides", async () => {
  const path = await programOf(
    "{ count: String((parameters.n ?? 1) * 2), at: `in ${cluster.name}`, tier: cluster.labels.tier }",
  );
  const ran = await server.bowline(["deploy", path, "--cluster", "east,west", "--set", "n:integer=4"]);
  expect(ran).toMatchObject({
    code: 0,
    out: "workloaddefinition/web created\nworkloadinstance/web created\n",
    error: "",
  });
  expect(await manifestsOf("web")).toContain(
    'data:\n  count: "8"\n  at: in ${{ cluster.name }}\n  tier: ${{ cluster.labels.tier }}\n',
  );
  const { spec } = await server.client.get(WorkloadInstance, "web");
  expect(spec).toMatchObject({ placement: { clusters: ["east", "west"] }, parameters: {} });
  const again = await server.bowline(["deploy", path, "--set", "n:integer=4"]);
  expect(again.out).toBe("workloaddefinition/web unchanged\nworkloadinstance/web unchanged\n");
});

test("a program that decides by the cluster is deployed to one at a time", async () => {
  const path = await programOf("{ size: cluster.labels.tier === 'gold' ? 'large' : 'small' }");
  const both = await server.bowline(["deploy", path, "--name", "sized", "--selector", "tier"]);
  expect(both).toMatchObject({ code: 2, out: "" });
  expect(both.error).toContain(
    'decides by the facts of a cluster: for all clusters, then for east, objects[0].data.size is "small" and "large"',
  );
  const one = await server.bowline(["deploy", path, "--name", "sized", "--cluster", "east"]);
  expect(one).toMatchObject({ code: 0, error: "" });
  expect(await manifestsOf("sized")).toContain("size: large\n");
});

test("parameters that the objects refer to are the instance's", async () => {
  const path = await programOf("{ image: '${{ image }}', n: String(parameters.n) }");
  const deploy = ["deploy", path, "--name", "open", "--cluster", "east", "--set", "n=1"];
  const without = await server.bowline(deploy);
  expect(without).toMatchObject({ code: 2 });
  expect(without.error).toContain("add --set image=…");
  expect(await server.bowline([...deploy, "--set", "image=web:1"])).toMatchObject({ code: 0 });
  const { spec } = await server.client.get(WorkloadInstance, "open");
  expect(spec.parameters).toEqual({ image: "web:1" });
});

test("a program that fails deploys nothing", async () => {
  const path = await programOf("{ now: String(process.hrtime.bigint()) }");
  const ran = await server.bowline(["deploy", path, "--name", "never", "--cluster", "east"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.error).toContain("gives something else each time it is asked");
  await expect(server.client.get(WorkloadDefinition, "never")).rejects.toMatchObject({ code: "NotFound" });
  expect(await server.bowline(["diff", path, "--name", "never", "--cluster", "east"])).toMatchObject({
    code: 2,
  });
});
