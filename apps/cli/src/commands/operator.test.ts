import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { isRecord } from "@bowline/core";
import { startKubesim } from "@bowline/kubesim";
import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { FakeTerminal } from "../testing/fake-terminal.ts";
import { runBowline } from "../testing/run-bowline.ts";

test("bowline operator leads, says how it is, and gives its Lease back when it stops", async () => {
  const cluster = await startKubesim({ controllers: false });
  onTestFinished(() => cluster.stop());
  const temp = await createTempFolder("operator-command");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const kubeconfig = join(temp.path, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig());
  const terminal = new FakeTerminal();
  const stop = new AbortController();
  const flags = ["--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0", "--log-level", "silent"];
  const ran = runBowline(["operator", ...flags], { terminal, signal: stop.signal });
  const holder = (): unknown => {
    const lease = cluster.api.get("leases.coordination.k8s.io", "default", "bowline-operator");
    const spec = lease?.["spec"];
    return isRecord(spec) ? spec["holderIdentity"] : undefined;
  };
  await expect.poll(() => terminal.written).toMatch(/is the monitoring operator of the cluster kubesim/u);
  const health = /http:\/\/\S+/u.exec(terminal.written)?.[0] ?? "";
  await expect.poll(async () => (await fetch(health)).status).toBe(200);
  await expect.poll(holder).toMatch(/_/u);
  const metrics = await (await fetch(health.replace("readyz", "metrics"))).text();
  expect(metrics).toMatch(/^leader_election_master_status\{name="operator"\} 1$/mu);
  expect(metrics).toMatch(/^controller_runtime_max_concurrent_reconciles\{controller="metrics-agent"\} 4$/mu);
  stop.abort();
  expect(await ran).toMatchObject({ code: 0 });
  expect(holder() ?? "").toBe("");
  await expect.poll(() => cluster.openWatches).toBe(0);
});

test("bowline operator has its flags in its help, and says what is wrong with them", async () => {
  const { out } = await runBowline(["operator", "--help"]);
  expect(out).toContain("--collector-image <REPOSITORY>");
  expect(out).toContain("--compat <OPERATOR>");
  const { code, error } = await runBowline(["operator", "--leader-election", "maybe"]);
  expect(`${code} ${error}`).toMatch(/^2 error: --leader-election must be on or off/u);
  const missing = await runBowline(["operator", "--kubeconfig", "/none", "--log-level", "silent"]);
  expect(`${missing.code} ${missing.error}`).toMatch(/^1 error: .*\/none/u);
});

test("bowline operator check-config lists the settings with where they are from, and names all that is wrong", async () => {
  const environment = { HOME: "/home/operator", BOWLINE_CONCURRENCY: "2", BOWLINE_NAMESPACE: "shop" };
  const { code, out, error } = await runBowline(["operator", "check-config", "--namespaces", "b,a"], {
    environment,
  });
  expect(code).toBe(0);
  expect(out).toMatch(/^SETTING +VALUE +FROM$/mu);
  expect(out).toMatch(/^namespaces +b,a +--namespaces$/mu);
  expect(out).toMatch(/^concurrency +2 +BOWLINE_CONCURRENCY$/mu);
  expect(out).toMatch(/^leaderElection +on +default$/mu);
  expect(out).toMatch(/^kubeconfig +\(~\/\.kube\/config; in a pod, its ServiceAccount\) +default$/mu);
  expect(error).toBe("warning: BOWLINE_NAMESPACE is no setting; did you mean BOWLINE_NAMESPACES?\n");
  const wrong = await runBowline(["operator", "check-config", "--compat", "alloy", "--concurrency", "0"]);
  expect(`${wrong.code} ${wrong.error}`).toMatch(
    /^2 error: 2 settings are wrong, the first: --compat must be/u,
  );
});
