import { startKubesim } from "@bowline/kubesim";
import { expect, onTestFinished, test } from "vitest";

import { AgentBench } from "../../testing/agent-bench.ts";
import { runBowline, type Ran } from "../../testing/run-bowline.ts";

const deployment = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: app
          image: ${image}
`;

const pages = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: page-${n} }\n`,
  ).join("---\n");

const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: key }\nstringData: { password: canary }\n";

/** A real server and a real agent, in front of a simulated cluster with nodes. */
test("a workload is deployed, looked at, changed, approved and taken away by commands alone", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startKubesim({ nodes: 1 })]);
  onTestFinished(() => cluster.stop());
  await bench.startAgent(cluster.kubeconfig(), { joinToken: await bench.newJoinToken() });
  await bench.reachable(true);
  const bowline = (args: readonly string[], stdin = ""): Promise<Ran> =>
    runBowline(args, { environment: bench.environment, stdin });

  const manifests = `${deployment("${{ image }}")}---\n${pages(12)}`;
  const flags = ["-", "--name", "web", "--cluster", "edge", "--set", "image=web:1"];
  const before = await bowline(["diff", ...flags], manifests);
  expect(before).toMatchObject({ code: 1, error: "" });
  expect(before.out).toMatch(/^edge: 13 created\n/u);
  expect(before.out).toContain("--- Deployment default/web (missing)\n+++ Deployment default/web\n");

  const first = await bowline(["deploy", ...flags, "--wait", "--timeout", "60s"], manifests);
  expect(first).toMatchObject({
    code: 0,
    out: "workloaddefinition/web created\nworkloadinstance/web created\n",
  });
  expect(first.error).toContain("edge: Deployment default/web: Healthy\n");
  expect(first.error).toMatch(
    /\nedge: Ready, 13 of 13 resources are healthy\nworkloadinstance\/web is ready\.\n$/u,
  );

  const tree = await bowline(["tree", "wi/web"]);
  expect(tree.out).toMatch(/└─ edge +Healthy/u);
  expect(tree.out).toMatch(
    /└─ Deployment default\/web +Healthy\n {6}└─ ReplicaSet default\/web-\S+ +Healthy\n/u,
  );
  expect(tree.out.match(/─ Pod default\/web-/gu)).toHaveLength(2);
  const logs = await bowline(["logs", "wi/web"]);
  expect(logs).toMatchObject({ code: 0, error: "" });
  expect(new Set(logs.out.match(/^\[edge\/web-[^/]+\/app\]/gmu)).size).toBe(2);
  await expect
    .poll(async () => (await bowline(["events", "--instance", "web"])).out)
    .toMatch(/Started +pod\/web-\S+ +Started container app/u);

  expect(await bowline(["diff", "wi/web"])).toMatchObject({ code: 0, out: "", error: "" });
  const other = await bowline(["diff", "-", "--name", "web"], `${deployment("web:2")}---\n${secret}`);
  expect(other.code).toBe(1);
  expect(other.out).toMatch(/^edge: 1 created, 1 changed, 12 deleted\n/u);
  expect(other.out).toContain("-        - image: web:1\n+        - image: web:2\n");
  expect(other.out).toContain('+  password: "***"\n');
  expect(other.out).not.toMatch(/canary|Y2FuYXJ5/u);
  expect(other.out).toContain("12 of 14 resources would be deleted, and 10 is the limit");

  const fewer = await bowline(
    ["deploy", "-", "--name", "web", "--wait", "--timeout", "60s"],
    deployment("${{ image }}"),
  );
  expect(fewer.code).toBe(1);
  expect(fewer.error).toContain("error: There is no use in waiting for workloadinstance/web: PruneHeld: ");
  const approved = await bowline(["approve", "wi/web"]);
  expect(approved.code).toBe(0);
  expect(approved.out).toMatch(/^PruneHeld in edge: .*\n {2}ConfigMap default\/page-0\n/u);
  expect(approved.out).toContain("\nworkloadinstance/web approved\n");
  expect(await bowline(["wait", "wi/web", "--for", "healthy", "--timeout", "60s"])).toMatchObject({
    code: 0,
  });
  expect(cluster.api.get("configmaps", "default", "page-0")).toBeUndefined();
  expect(cluster.api.get("deployments.apps", "default", "web")).toBeDefined();

  expect(await bowline(["delete", "wi/web", "--timeout", "60s"])).toMatchObject({ code: 0 });
  expect(cluster.api.get("deployments.apps", "default", "web")).toBeUndefined();
}, 120_000);
