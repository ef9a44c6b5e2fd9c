import { resources, type KubeObject } from "@bowline/kube";
import { readAgentStatus, type MetricsAgentStatus } from "@bowline/monitoring";
import { expect, test } from "vitest";

import { grafanaAgents, metricsAgents } from "./objects/kinds.ts";
import type { StatefulSet } from "./objects/stateful-set.ts";
import { allResources, grafanaResources } from "./testing/definitions.ts";
import { grafanaAgent, grafanaInstance } from "./testing/grafana-objects.ts";
import { metricsAgent, metricsInstance, serviceMonitor } from "./testing/objects.ts";
import type { OperatorBench } from "./testing/operator-bench.ts";
import { openSimBench } from "./testing/sim-bench.ts";

const installed = [...allResources, ...grafanaResources];
const compat = "grafana-agent";
const job = "serviceMonitor/default/web/0";
const configSecret = "default/grafana-agent-main-config-0";

async function configOf(bench: OperatorBench): Promise<string> {
  const secret = await bench.get<KubeObject & { data?: Record<string, string> }>(
    resources.secrets,
    configSecret,
  );
  return Buffer.from(secret?.data?.["part-0"] ?? "", "base64").toString();
}

async function reportOf(bench: OperatorBench): Promise<MetricsAgentStatus | undefined> {
  const map = await bench.get<KubeObject & { data?: Record<string, string> }>(
    resources.configMaps,
    "default/grafana-agent-main-status",
  );
  return readAgentStatus(JSON.parse(map?.data?.["status.json"] ?? "{}"));
}

async function condition(bench: OperatorBench, type: string): Promise<string | undefined> {
  const found = (await reportOf(bench))?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason} ${found.message}`;
}

test("a GrafanaAgent is brought about like a MetricsAgent, and owns what is made for it", async () => {
  const { bench } = await openSimBench({ installed, compat });
  await bench.apply(serviceMonitor("default/web"), grafanaInstance(), grafanaAgent({}, { shards: 2 }));
  await expect.poll(() => configOf(bench)).toContain(job);
  await expect.poll(() => condition(bench, "Reconciled")).toMatch(/^True/u);
  await bench.quiet();
  const agent = await bench.get(grafanaAgents, "default/main");
  const owned = await Promise.all([
    bench.get(resources.secrets, configSecret),
    bench.get(resources.services, "default/grafana-agent-main"),
    bench.get(resources.statefulSets, "default/grafana-agent-main-shard-1"),
    bench.get(resources.configMaps, "default/grafana-agent-main-status"),
  ]);
  for (const object of owned) {
    expect(object?.metadata.ownerReferences).toMatchObject([
      {
        apiVersion: "monitoring.grafana.com/v1alpha1",
        kind: "GrafanaAgent",
        uid: agent?.metadata.uid,
        controller: true,
      },
    ]);
    expect(object?.metadata.labels).toMatchObject({
      "app.kubernetes.io/managed-by": "bowline-operator",
      "monitoring.bowline.dev/agent": "grafana-agent-main",
    });
  }
  expect(await reportOf(bench)).toMatchObject({ shards: 2, monitors: { selected: 1, scrapeJobs: 1 } });

  // A look that finds nothing to do writes nothing; what somebody deletes comes back.
  bench.writes.length = 0;
  await bench.delete(resources.configMaps, "default/grafana-agent-main-status");
  await expect.poll(() => reportOf(bench)).toHaveProperty("conditions");
  await bench.quiet();
  expect(bench.writes).toEqual(["PATCH /api/v1/namespaces/default/configmaps/grafana-agent-main-status"]);

  // A change of the agent and one of a monitor are heard.
  await bench.apply(serviceMonitor("default/two"), grafanaAgent({}, { shards: 1 }));
  await expect.poll(() => configOf(bench)).toContain("serviceMonitor/default/two/0");
  await expect
    .poll(() => bench.get(resources.statefulSets, "default/grafana-agent-main-shard-1"))
    .toBeUndefined();
});

test("fields without meaning are in the report and in an event, of the agent and of its instances", async () => {
  const { bench } = await openSimBench({ installed, compat });
  await bench.apply(
    serviceMonitor("default/web"),
    grafanaInstance({ minWALTime: "5m" }),
    grafanaAgent({ image: "grafana/agent:v0.44.0", logs: { instanceSelector: {} } }),
  );
  await expect
    .poll(async () => (await reportOf(bench))?.withoutMeaning?.map(({ path }) => path))
    .toEqual(["spec.image", "spec.logs", "MetricsInstance default/team spec.minWALTime"]);
  expect(await condition(bench, "AllFieldsUsed")).toMatch(/^False WithoutMeaning .*spec\.image of the Graf/u);
  await bench.quiet();
  const told = (): string[] =>
    bench.events
      .filter(({ reason }) => reason === "WithoutMeaning")
      .map(({ regarding }) => `${regarding.apiVersion} ${regarding.kind}`);
  const both = [
    "monitoring.grafana.com/v1alpha1 GrafanaAgent",
    "monitoring.grafana.com/v1alpha1 MetricsInstance",
  ];
  expect(told()).toEqual(both);

  // Told once: neither another look nor another operator says it again.
  await bench.stopOperator();
  bench.startOperator();
  await bench.apply(serviceMonitor("default/two"));
  await expect.poll(() => configOf(bench)).toContain("serviceMonitor/default/two/0");
  await bench.quiet();
  expect(told()).toEqual(both);

  await bench.apply(grafanaInstance(), grafanaAgent());
  await expect.poll(() => condition(bench, "AllFieldsUsed")).toMatch(/^True/u);
  expect(await reportOf(bench)).not.toHaveProperty("withoutMeaning");
});

test("a spec that no MetricsAgent could have is refused as a whole, and said so", async () => {
  const { bench } = await openSimBench({ installed, compat });
  await bench.apply(grafanaInstance(), grafanaAgent({}, { shards: 1_000_000_000 }));
  await expect
    .poll(() => condition(bench, "Reconciled"))
    .toMatch(/^False InvalidSpec Read as a MetricsAgent, .*shards/u);
  expect(await bench.get(resources.services, "default/grafana-agent-main")).toBeUndefined();
  await bench.apply(grafanaAgent());
  await expect.poll(() => condition(bench, "Reconciled")).toMatch(/^True/u);
});

test("a MetricsAgent and a GrafanaAgent of one name never meet", async () => {
  const { bench } = await openSimBench({ installed, compat });
  await bench.apply(
    serviceMonitor("default/web", {}, { of: "ours" }),
    serviceMonitor("default/other", {}, { of: "theirs" }),
    metricsAgent("default/main", { shards: 2 }),
    metricsInstance("default/team", { serviceMonitorSelector: { matchLabels: { of: "ours" } } }),
    grafanaAgent({}, { shards: 2 }),
    grafanaInstance({ serviceMonitorSelector: { matchLabels: { of: "theirs" } } }),
  );
  const ours = "serviceMonitor/default/web/0";
  const theirs = "serviceMonitor/default/other/0";
  await expect.poll(() => bench.jobs("default/main")).toEqual([ours]);
  await expect.poll(() => configOf(bench)).toContain(theirs);
  await bench.quiet();
  expect(await configOf(bench)).not.toContain(ours);
  const set = await bench.get<StatefulSet>(resources.statefulSets, "default/metrics-main-shard-1");

  // Each prunes its own, and one that goes leaves the other at work.
  await bench.apply(grafanaAgent({}, { shards: 1 }));
  await expect
    .poll(() => bench.get(resources.statefulSets, "default/grafana-agent-main-shard-1"))
    .toBeUndefined();
  const after = await bench.get<StatefulSet>(resources.statefulSets, "default/metrics-main-shard-1");
  expect(after?.metadata.uid).toBe(set?.metadata.uid);
  await bench.delete(metricsAgents, "default/main");
  await bench.apply(serviceMonitor("default/other-2", {}, { of: "theirs" }));
  await expect.poll(() => configOf(bench)).toContain("serviceMonitor/default/other-2/0");
});

test("without the flag nothing is made for a GrafanaAgent", async () => {
  const { bench } = await openSimBench({ installed });
  await bench.apply(serviceMonitor("default/web"), grafanaInstance(), grafanaAgent());
  await bench.apply(metricsAgent("default/main"), metricsInstance("default/team"));
  await expect.poll(() => bench.jobs("default/main")).toEqual([job]);
  await bench.quiet();
  expect(await bench.get(resources.secrets, configSecret)).toBeUndefined();
});
