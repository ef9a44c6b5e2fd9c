import { resources, type KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { metricsInstances, monitorResources } from "./objects/kinds.ts";
import { allResources, grafanaResources } from "./testing/definitions.ts";
import { grafanaAgent, grafanaInstance } from "./testing/grafana-objects.ts";
import { metricsAgent, metricsInstance, podMonitor, serviceMonitor } from "./testing/objects.ts";
import type { OperatorBench } from "./testing/operator-bench.ts";
import { openSimBench } from "./testing/sim-bench.ts";

const agent = metricsAgent("default/main");
const team = metricsInstance("default/team");
const statusWrite =
  "PATCH /apis/monitoring.bowline.dev/v1alpha1/namespaces/default/metricsagents/main/status";

/** A Service of `app: web`, and what is behind it. */
function webService(...addresses: readonly string[]): KubeObject[] {
  const metadata = { namespace: "default", name: "web" };
  const ports = [{ name: "web", port: 8080, protocol: "TCP" }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: { ...metadata, labels: { app: "web" } }, spec: { ports } },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata,
      subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }],
    },
  ];
}

function deployment(replicas: number): KubeObject {
  const labels = { app: "web" };
  const containers = [{ name: "web", image: "example/web", ports: [{ name: "web", containerPort: 8080 }] }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

async function expected(bench: OperatorBench): Promise<number | undefined> {
  return (await bench.status("default/main"))?.expectedTargets;
}

async function versionOf(bench: OperatorBench, name: string): Promise<string | undefined> {
  return (await bench.get(resources.secrets, `default/${name}`))?.metadata.resourceVersion;
}

describe("the targets that are expected", () => {
  test("follow the pods, in the status alone", async () => {
    const { bench } = await openSimBench({ controllers: true, nodes: 1 });
    const [web] = webService();
    const selected = {
      ...web,
      spec: { selector: { app: "web" }, ports: [{ name: "web", port: 80, targetPort: 8080 }] },
    };
    await bench.apply(
      deployment(2),
      { apiVersion: "v1", kind: "Service", metadata: { namespace: "default", name: "web" }, ...selected },
      metricsAgent("default/main", { replicas: 0 }),
      metricsInstance("default/team", { podMonitorSelector: {} }),
      serviceMonitor("default/web"),
      podMonitor("default/web"),
    );
    await expect.poll(() => expected(bench)).toBe(4);
    await bench.quiet();
    const secret = await versionOf(bench, "metrics-main-config-0");
    bench.writes.length = 0;
    bench.reads.length = 0;

    await bench.apply(deployment(5));
    await expect.poll(() => expected(bench)).toBe(10);
    await bench.quiet();
    expect(await bench.status("default/main")).toMatchObject({
      instances: [{ name: "default/team", scrapeJobs: 2, expectedTargets: 10 }],
    });
    expect(await bench.get(metricsInstances, "default/team")).toMatchObject({
      status: { expectedTargets: 10, agents: [{ name: "default/main", expectedTargets: 10 }] },
    });
    expect(await bench.condition("default/main", "TargetsFound")).toBe("True Found ");
    expect(await versionOf(bench, "metrics-main-config-0")).toBe(secret);
    expect(new Set(bench.writes.filter((write) => !write.includes("metricsinstances")))).toEqual(
      new Set([statusWrite]),
    );
    // A reconcile that made a configuration would have looked at the one that is there.
    expect(bench.reads.filter((read) => read.includes("/secrets/"))).toEqual([]);

    // Neither what does not change the number is written, nor what a new operator finds as it was.
    bench.writes.length = 0;
    await bench.client.patch(
      resources.services,
      { metadata: { annotations: { seen: "yes" } } },
      { type: "merge", namespace: "default", name: "web" },
    );
    await bench.quiet();
    await bench.stopOperator();
    bench.startOperator();
    const again = bench.reconciles.length;
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(again + 1);
    await bench.quiet();
    expect(bench.writes).toEqual([]);

    await bench.apply(deployment(0));
    await expect.poll(() => expected(bench)).toBe(0);
  });

  test("are none for a monitor that matches nothing, and it is said why", async () => {
    const { bench } = await openSimBench();
    await bench.apply(agent, team, serviceMonitor("default/web"));
    const why = "There is no Service with «app=web» in the namespace default.";
    const told = `False NoTargets ServiceMonitor default/web finds no target: ${why}`;
    await expect.poll(() => bench.condition("default/main", "TargetsFound")).toBe(told);
    expect(await bench.status("default/main")).toMatchObject({
      expectedTargets: 0,
      withoutTargets: [{ object: "ServiceMonitor default/web", message: why }],
    });
    await expect
      .poll(() => bench.get(metricsInstances, "default/team"))
      .toMatchObject({ status: { expectedTargets: 0, withoutTargets: [{ message: why }] } });
    // It does not make the agent unready.
    expect(await bench.condition("default/main", "Reconciled")).toMatch(/^True/u);

    await bench.apply(
      ...webService("10.0.0.1", "10.0.0.2"),
      serviceMonitor("default/other", { port: "metrics" }),
    );
    await expect.poll(() => expected(bench)).toBe(2);
    await expect
      .poll(() => bench.condition("default/main", "TargetsFound"))
      .toBe(
        "False NoTargets ServiceMonitor default/other finds no target: The Service default/web has no port called «metrics»; there is web.",
      );
    await bench.delete(monitorResources[0] ?? resources.pods, "default/other");
    await expect.poll(() => bench.condition("default/main", "TargetsFound")).toMatch(/^True/u);
    expect(await bench.status("default/main")).not.toHaveProperty("withoutTargets");
    // One without any monitor expects none, too.
    await bench.delete(monitorResources[0] ?? resources.pods, "default/web");
    await expect.poll(() => expected(bench)).toBe(0);
    await expect
      .poll(() => bench.get(metricsInstances, "default/team"))
      .toMatchObject({ status: { expectedTargets: 0 } });
  });

  test("take no more than what the monitors ask for", async () => {
    const { bench } = await openSimBench();
    await bench.apply(
      agent,
      metricsInstance("default/team", { podMonitorSelector: {} }),
      serviceMonitor("default/web"),
    );
    await expect.poll(() => expected(bench)).toBe(0);
    const listed = (): string[] =>
      bench.reads.filter((read) => /GET \S+\/(?:pods|endpoints|endpointslices|ingresses)$/u.test(read));
    expect(new Set(listed())).toEqual(new Set(["GET /api/v1/endpoints"]));
    await bench.apply(podMonitor("default/web"));
    await expect.poll(listed).toContain("GET /api/v1/pods");
  });

  test("are left out while something may not be read, and counted when it may", async () => {
    const { bench, sim } = await openSimBench();
    await bench.stopOperator();
    const faults = ["list", "watch"].map((verb) =>
      sim.faults.failRequests({ code: 403, verb, resource: "endpoints" }),
    );
    bench.startOperator();
    await bench.apply(...webService("10.0.0.1"), agent, team, serviceMonitor("default/web"));
    await expect
      .poll(() => bench.condition("default/main", "TargetsFound"))
      .toMatch(/^Unknown Forbidden .*may not list and watch endpoints\. Give it the right/u);
    expect(await bench.status("default/main")).not.toHaveProperty("expectedTargets");
    expect(await bench.jobs("default/main")).toHaveLength(1);
    expect(faults.some(({ hits }) => hits > 0)).toBe(true);
    sim.faults.clear();
    await expect.poll(() => expected(bench)).toBe(1);
    await expect.poll(() => bench.condition("default/main", "TargetsFound")).toMatch(/^True/u);
  });

  test("go from the status when they are not to be counted any more", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...webService("10.0.0.1"), agent, team, serviceMonitor("default/web"));
    const instanceStatus = async (): Promise<string> =>
      JSON.stringify(await bench.get(metricsInstances, "default/team"));
    await expect.poll(() => expected(bench)).toBe(1);
    await expect.poll(instanceStatus).toContain('"expectedTargets":1');
    await bench.stopOperator();
    bench.reads.length = 0;
    bench.startOperator({ countsTargets: false });
    await expect.poll(() => expected(bench)).toBeUndefined();
    await expect.poll(instanceStatus).not.toMatch(/expectedTargets|TargetsFound/u);
    expect(JSON.stringify(await bench.status("default/main"))).not.toMatch(/expectedTargets|TargetsFound/u);
    await bench.quiet();
    expect(bench.reads).not.toContain("GET /api/v1/endpoints");
  });

  test("of a GrafanaAgent are in its report", async () => {
    const compat = "grafana-agent";
    const { bench } = await openSimBench({ installed: [...allResources, ...grafanaResources], compat });
    await bench.apply(
      ...webService("10.0.0.1"),
      serviceMonitor("default/web"),
      grafanaInstance(),
      grafanaAgent(),
    );
    const report = async (): Promise<string> =>
      JSON.stringify(await bench.get(resources.configMaps, "default/grafana-agent-main-status"));
    await expect
      .poll(report)
      .toMatch(/\\"expectedTargets\\": 1\b.*TargetsFound|TargetsFound.*\\"expectedTargets\\": 1\b/su);
    await bench.quiet();
    bench.writes.length = 0;
    await bench.apply(...webService("10.0.0.1", "10.0.0.2"));
    await expect.poll(report).toMatch(/\\"expectedTargets\\": 2\b/u);
    await bench.quiet();
    expect(bench.writes).toEqual(["PATCH /api/v1/namespaces/default/configmaps/grafana-agent-main-status"]);
  });
});
