import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { asRecord, createLogger, systemClock } from "@bowline/core";
import { resources } from "@bowline/kube";
import { expect, onTestFinished, test } from "vitest";

import { loadOperatorConfig } from "../config/operator-config.ts";
import { documentedRights } from "../testing/documented-rights.ts";
import { allResources, grafanaResources } from "../testing/definitions.ts";
import { grafanaAgent, grafanaInstance } from "../testing/grafana-objects.ts";
import {
  ingressProbe,
  metricsAgent,
  metricsInstance,
  podMonitor,
  serviceMonitor,
} from "../testing/objects.ts";
import { openSimBench, type SimBench } from "../testing/sim-bench.ts";
import { startOperator, type RunningOperator } from "./start-operator.ts";

/** A kubeconfig of somebody who may do what is documented, and nothing else. */
async function operatorKubeconfig({ bench, sim, folder }: SimBench, headings = ["Rights"]): Promise<string> {
  const user = { name: "operator", token: "operator-token" };
  for (const heading of headings) await bench.apply(...(await documentedRights(user.name, heading)));
  sim.addUser(user.token, { name: user.name, groups: [] });
  const path = join(folder, "operator.kubeconfig");
  await writeFile(path, sim.kubeconfig(user));
  return path;
}

async function start(kubeconfig: string, more: Record<string, string> = {}): Promise<RunningOperator> {
  const flags = { "--kubeconfig": kubeconfig, "--health-listen": "127.0.0.1:0", ...more };
  const config = loadOperatorConfig({ flags, environment: {} });
  const logger = createLogger({ name: "operator", level: "silent" });
  const operator = await startOperator(config, {
    clock: systemClock,
    random: Math.random,
    logger,
    version: "1.2.3",
  });
  onTestFinished(() => operator.close());
  return operator;
}

test("with the documented rights an operator leads, does all of its work and writes events", async () => {
  const stage = await openSimBench({ controllers: true, nodes: 1 });
  const { bench } = stage;
  await bench.stopOperator();
  const operator = await start(await operatorKubeconfig(stage));
  // The agent comes last, so that its targets are counted in all kinds of objects at once.
  await bench.apply(
    serviceMonitor("default/web"),
    serviceMonitor("default/bad", { interval: "10s", scrapeTimeout: "20s" }),
    serviceMonitor("default/slices", {}, {}, { serviceDiscoveryRole: "EndpointSlice" }),
    podMonitor("default/web"),
    ingressProbe("default/web"),
    metricsInstance("default/team", { podMonitorSelector: {}, probeSelector: {} }),
    metricsAgent("default/main", { shards: 2 }),
  );
  await expect.poll(() => bench.condition("default/main", "Ready")).toMatch(/^True/u);
  const targetless = async (): Promise<string[] | undefined> =>
    (await bench.status("default/main"))?.withoutTargets?.map(({ object }) => object).toSorted();
  await expect
    .poll(targetless)
    .toEqual([
      "PodMonitor default/web",
      "Probe default/web",
      "ServiceMonitor default/slices",
      "ServiceMonitor default/web",
    ]);
  const storage = { volumeClaimTemplate: { spec: { resources: { requests: { storage: "1Gi" } } } } };
  await bench.apply(metricsAgent("default/main", { shards: 1, storage }));
  await expect.poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-1")).toBeUndefined();
  await expect
    .poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-0"))
    .toMatchObject({ spec: { volumeClaimTemplates: [{}] } });
  const notes = async (): Promise<unknown[]> =>
    (await bench.client.list(resources.events)).items
      .filter(({ reportingController }) => reportingController === "bowline.dev/operator")
      .map(({ reason, regarding }) => `${String(reason)} ${String(asRecord(regarding)["kind"])}`);
  await expect
    .poll(notes)
    .toEqual(
      expect.arrayContaining([
        "Rejected ServiceMonitor",
        "Created MetricsAgent",
        "Recreated MetricsAgent",
        "Pruned MetricsAgent",
      ]),
    );
  expect((await notes()).filter((note) => note === "Rejected ServiceMonitor")).toHaveLength(1);

  const health = `http://${operator.healthAddress}`;
  expect(await (await fetch(`${health}/readyz?verbose`)).text()).toContain("readyz check passed");
  expect(await (await fetch(`${health}/metrics`)).text()).not.toMatch(
    /^controller_runtime_reconcile_errors_total\{.*\} [1-9]/mu,
  );
  await operator.close();
  await operator.ended;
});

test("with the rights that are documented for them it works on GrafanaAgents as well", async () => {
  const stage = await openSimBench({ installed: [...allResources, ...grafanaResources] });
  const { bench } = stage;
  await bench.stopOperator();
  await start(await operatorKubeconfig(stage, ["Rights", "GrafanaAgents"]), { "--compat": "grafana-agent" });
  await bench.apply(grafanaAgent({ image: "grafana/agent:v0.44.0" }), grafanaInstance());
  const status = async (): Promise<string> =>
    JSON.stringify(await bench.get(resources.configMaps, "default/grafana-agent-main-status"));
  await expect.poll(status).toMatch(/Reconciled[^}]*True.*spec\.image/su);
  await bench.apply(grafanaAgent());
  await expect.poll(status).not.toContain("spec.image");
});

test("a second operator waits, and takes over when the first has gone", async () => {
  const { bench, folder } = await openSimBench();
  await bench.stopOperator();
  const kubeconfig = join(folder, "kubeconfig");
  const first = await start(kubeconfig);
  const holder = async (): Promise<unknown> =>
    asRecord((await bench.get(resources.leases, "default/bowline-operator"))?.["spec"])["holderIdentity"];
  await expect.poll(holder).toMatch(/_/u);
  const before = await holder();
  const second = await start(kubeconfig);
  await expect.poll(async () => (await fetch(`http://${second.healthAddress}/readyz`)).status).toBe(200);
  expect(await holder()).toBe(before);
  await first.close();
  await bench.apply(
    metricsAgent("default/main"),
    metricsInstance("default/team"),
    serviceMonitor("default/web"),
  );
  await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
  expect(await holder()).not.toBe(before);
});
