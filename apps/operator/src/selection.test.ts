import { sampleCertificate as certificate } from "@bowline/core/testing";
import { resources, type KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { metricsAgents, metricsInstances, monitorResources } from "./objects/kinds.ts";
import { allResources } from "./testing/definitions.ts";
import {
  metricsAgent,
  metricsInstance,
  namespace,
  secret,
  serviceMonitor,
  withPassword,
} from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

const agent = metricsAgent("default/main");
const team = metricsInstance("default/team");
const jobOf = (id: string): string => `serviceMonitor/${id}/0`;
const bad = { interval: "10s", scrapeTimeout: "20s" };

describe("what an agent has selected and referred to", () => {
  test("wakes it: a monitor that comes, changes, loses its label and goes", async () => {
    const { bench } = await openSimBench();
    const labelled = metricsInstance("default/team", {
      serviceMonitorSelector: { matchLabels: { team: "a" } },
    });
    await bench.apply(agent, labelled, serviceMonitor("default/web", {}, { team: "a" }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await bench.apply(serviceMonitor("default/web", { path: "/other" }, { team: "a" }));
    await expect.poll(() => bench.config("default/main")).toContain("metrics_path: /other");
    await bench.apply(serviceMonitor("default/web", { path: "/other" }, { team: "b" }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([]);
    await bench.apply(serviceMonitor("default/web", { path: "/other" }, { team: "a" }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await bench.delete(monitorResources[0] ?? resources.pods, "default/web");
    await expect.poll(() => bench.jobs("default/main")).toEqual([]);
    // A monitor that no agent selects wakes none.
    await bench.quiet();
    const looks = bench.reconciles.length;
    await bench.apply(
      serviceMonitor("default/other", {}, { team: "c" }),
      secret("default/unrelated", { a: "b" }),
    );
    await bench.quiet();
    expect(bench.reconciles).toHaveLength(looks);
  });

  test("a namespace that gets or loses a label brings or takes its monitors (W3)", async () => {
    const { bench } = await openSimBench();
    await bench.apply(namespace("shop", { env: "test" }));
    await bench.apply(
      agent,
      metricsInstance("default/team", { serviceMonitorNamespaceSelector: { matchLabels: { env: "prod" } } }),
      serviceMonitor("shop/web"),
    );
    await expect
      .poll(() => bench.condition("default/main", "MonitorsSelected"))
      .toMatch(/^False NoMonitor No monitor is selected\. The namespace shop does not match/u);
    await bench.apply(namespace("shop", { env: "prod" }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("shop/web")]);
    await bench.apply(namespace("shop", { env: "test" }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([]);
  });

  test("a Secret that is missing is waited for, one whose key is missing too (W1)", async () => {
    const { bench } = await openSimBench();
    await bench.apply(
      agent,
      team,
      serviceMonitor("default/web"),
      serviceMonitor("default/locked", withPassword("login")),
    );
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await expect
      .poll(() => bench.condition("default/main", "MonitorsAccepted"))
      .toMatch(/^False Rejected ServiceMonitor default\/locked is left out: .*login/u);
    await bench.apply(secret("default/login", { other: "x" }));
    await bench.quiet();
    expect(await bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await bench.apply(secret("default/login", { password: "one" }));
    await expect.poll(() => bench.config("default/main")).toContain("password: one");
    await expect.poll(() => bench.condition("default/main", "MonitorsAccepted")).toMatch(/^True/u);
    // Rotated, and taken away again.
    await bench.apply(secret("default/login", { password: "two" }));
    await expect.poll(() => bench.config("default/main")).toContain("password: two");
    await bench.delete(resources.secrets, "default/login");
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
  });

  test("a Secret that may not be read costs only the monitor that needs it", async () => {
    const { bench, sim } = await openSimBench();
    sim.faults.failRequests({ code: 403, verb: "get", resource: "secrets", path: /login$/u });
    await bench.apply(
      secret("default/login", { password: "one" }),
      agent,
      team,
      serviceMonitor("default/web"),
      serviceMonitor("default/locked", withPassword("login")),
    );
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await expect
      .poll(() => bench.condition("default/main", "MonitorsAccepted"))
      .toMatch(
        /^False Rejected ServiceMonitor default\/locked .*Secret default\/login, which may not be read\. Give the operator the right/u,
      );
    // Rights change without an event, so it looks again by itself.
    expect(bench.reconciles.map(({ outcome }) => outcome)).toContainEqual({
      kind: "requeue-after",
      delayMs: 300_000,
    });
  });

  test("what was stated stands while a reconcile fails, and is replaced when it succeeds (W2)", async () => {
    const { bench, sim } = await openSimBench();
    await bench.apply(agent, team, serviceMonitor("default/web"));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
    await bench.quiet();
    const fault = sim.faults.failRequests({ code: 500, verb: "patch", resource: "secrets" });
    await bench.apply(serviceMonitor("default/two"));
    await expect.poll(() => fault.hits).toBeGreaterThan(0);
    // The attempt that failed has the second in it; an event now must be heard, not the backoff waited for.
    const looks = bench.reconciles.length;
    await bench.apply(serviceMonitor("default/three"));
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
    sim.faults.clear();
    await bench.apply(serviceMonitor("default/four"));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(4);
  });

  test("what happens in the middle of a reconcile is heard (W2)", async () => {
    const { bench, sim } = await openSimBench();
    await bench.apply(agent, team, serviceMonitor("default/web"));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
    await bench.quiet();
    // The configuration is made, and on its way to the server, when the third monitor comes.
    const fault = sim.faults.slowRequests({ delayMs: 500, verb: "patch", resource: "secrets", times: 1 });
    await bench.apply(serviceMonitor("default/two"));
    await expect.poll(() => fault.hits).toBe(1);
    await bench.apply(serviceMonitor("default/three"));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(3);
  });

  test("an agent whose spec became unusable keeps its configuration, and comes back with a better one", async () => {
    const { bench } = await openSimBench();
    await bench.apply(agent, team, serviceMonitor("default/web"));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
    await bench.apply(
      metricsAgent("default/main", { version: "v2.42.0", enforcedNamespaceLabel: "no name" }),
    );
    await expect
      .poll(() => bench.condition("default/main", "Ready"))
      .toMatch(/^False InvalidSpec .*enforcedNamespaceLabel/u);
    await bench.quiet();
    expect(await bench.jobs("default/main")).toHaveLength(1);
    // The dependencies of before are still watched.
    const looks = bench.reconciles.length;
    await bench.apply(serviceMonitor("default/more"));
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
    await bench.apply(agent);
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(2);
  });

  test("is the same to the byte in whatever order it was made (W4)", async () => {
    const { bench } = await openSimBench();
    const names = ["a", "b", "c", "d", "e"].map((name) => `default/${name}`);
    await bench.apply(agent, team, ...names.map((name) => serviceMonitor(name)));
    await expect.poll(() => bench.jobs("default/main")).toEqual(names.map(jobOf));
    const config = await bench.config("default/main");
    await bench.quiet();
    await bench.stopOperator();
    for (const name of names) await bench.delete(monitorResources[0] ?? resources.pods, name);
    await bench.apply(...names.toReversed().map((name) => serviceMonitor(name)));
    bench.writes.length = 0;
    const looks = bench.reconciles.length;
    bench.startOperator();
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
    await bench.quiet();
    expect(await bench.config("default/main")).toBe(config);
    expect(bench.writes).toEqual([]);
  });

  test("certificates are copied from other namespaces, and follow them", async () => {
    const { bench } = await openSimBench();
    await bench.apply(namespace("shop"));
    const tls = { scheme: "https", tlsConfig: { ca: { configMap: { name: "ca", key: "ca.crt" } } } };
    const ca = (text: string): KubeObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "shop", name: "ca" },
      data: { "ca.crt": `${certificate}${text}` },
    });
    const file = "1_shop_ca_ca.crt";
    const copied = async (): Promise<string> => {
      const found = await bench.get<KubeObject & { data?: Record<string, string> }>(
        resources.secrets,
        "default/metrics-main-files-0",
      );
      return Buffer.from(found?.data?.[file] ?? "", "base64")
        .toString()
        .replace(certificate, "");
    };
    await bench.apply(agent, team, serviceMonitor("shop/web", tls), ca("one"));
    await expect.poll(copied).toBe("one");
    await expect.poll(() => bench.config("default/main")).toContain(`/etc/prometheus/certs/${file}`);
    await bench.apply(ca("two"));
    await expect.poll(copied).toBe("two");
    // A file whose name no Secret can hold must not keep the others from being written.
    const long = { name: "n".repeat(200), key: "k".repeat(200) };
    await bench.apply(
      secret(`shop/${long.name}`, { [long.key]: certificate }),
      serviceMonitor("shop/long", { scheme: "https", tlsConfig: { ca: { secret: long } } }),
      ca("three"),
    );
    await expect.poll(copied).toBe("three");
    await expect
      .poll(() => bench.condition("default/main", "MonitorsAccepted"))
      .toMatch(/^False .*shop\/long/u);
    // Nor must one that no collector could read.
    await bench.apply(
      { ...ca("four"), data: { "ca.crt": "no certificate" } },
      secret("shop/fine", { "ca.crt": certificate }),
      serviceMonitor("shop/fine", { tlsConfig: { ca: { secret: { name: "fine", key: "ca.crt" } } } }),
    );
    await expect.poll(copied).toBe("");
    await expect.poll(() => bench.jobs("default/main")).toEqual(["serviceMonitor/shop/fine/0"]);
    await expect
      .poll(() => bench.condition("default/main", "MonitorsAccepted"))
      .toMatch(/names the key «ca.crt» of the ConfigMap shop\/ca, which has no certificate in PEM/u);
    await bench.apply(ca("five"));
    await expect.poll(copied).toBe("five");
    await bench.delete(resources.configMaps, "shop/ca");
    await expect.poll(copied).toBe("");
  });

  test("one bad monitor among a hundred costs the others nothing, and is named with the fix (W5, W7)", async () => {
    const { bench } = await openSimBench();
    const good = Array.from({ length: 99 }, (_, index) => serviceMonitor(`default/web-${index}`));
    await bench.apply(agent, team, ...good, serviceMonitor("default/bad", bad));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(99);
    await bench.quiet();
    expect(await bench.condition("default/main", "MonitorsAccepted")).toMatch(
      /^False Rejected ServiceMonitor default\/bad is left out: .*spec\.endpoints\[0\].*\. \w.*\.$/u,
    );
    expect(await bench.status("default/main")).toMatchObject({
      monitors: { selected: 100, rejected: 1, scrapeJobs: 99 },
      instances: [{ name: "default/team", selected: 100, rejected: 1, scrapeJobs: 99 }],
      rejected: [{ object: "ServiceMonitor default/bad", path: expect.stringContaining("endpoints[0]") }],
    });
    await expect
      .poll(() => bench.get(metricsInstances, "default/team"))
      .toMatchObject({
        status: {
          agents: [{ name: "default/main", selected: 100, rejected: 1, scrapeJobs: 99 }],
          rejected: [{ object: "ServiceMonitor default/bad" }],
          conditions: [
            { type: "Selected", status: "True" },
            {
              type: "MonitorsAccepted",
              status: "False",
              message: expect.stringContaining("ServiceMonitor default/bad"),
            },
            { type: "Ready", status: "False" },
            { type: "TargetsFound", status: "False" },
          ],
        },
      });
    const warnings = bench.events.filter(({ type }) => type === "Warning");
    expect(warnings).toMatchObject([
      {
        reason: "Rejected",
        regarding: { kind: "ServiceMonitor", metadata: { name: "bad", uid: expect.stringMatching(/./u) } },
        note: expect.stringContaining((await bench.status("default/main"))?.rejected?.[0]?.fix ?? "?"),
      },
    ]);
    // Told once, also by an operator that starts anew.
    await bench.stopOperator();
    const looks = bench.reconciles.length;
    bench.startOperator();
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
    await bench.quiet();
    expect(bench.events.filter(({ type }) => type === "Warning")).toHaveLength(1);
    await bench.apply(serviceMonitor("default/bad", { interval: "30s", scrapeTimeout: "10s" }));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(100);
    await expect.poll(() => bench.condition("default/main", "MonitorsAccepted")).toMatch(/^True/u);
  });
});

test("an instance says which agents run it, and that none does", async () => {
  const { bench } = await openSimBench();
  const chosen = { instanceSelector: { matchLabels: { team: "a" } } };
  await bench.apply(metricsAgent("default/main", chosen), metricsAgent("default/other"), team);
  const status = async (): Promise<unknown> =>
    (await bench.get(metricsInstances, "default/team"))?.["status"];
  await expect.poll(status).toMatchObject({ agents: [{ name: "default/other" }] });
  await bench.delete(metricsAgents, "default/other");
  await expect.poll(status).toMatchObject({
    conditions: [
      { type: "Selected", status: "False", reason: "NoAgent" },
      {},
      { type: "Ready", status: "False" },
    ],
  });
  await bench.apply({ ...team, metadata: { ...team.metadata, labels: { team: "a" } } });
  await expect.poll(status).toMatchObject({ agents: [{ name: "default/main" }] });
});

describe("kinds that are not installed", () => {
  test("are passed over, and picked up when they appear", async () => {
    const [agents, instances, monitors] = allResources;
    const { bench } = await openSimBench({ installed: [agents, instances].flatMap((each) => each ?? []) });
    await bench.apply(agent, team);
    await expect.poll(() => bench.condition("default/main", "MonitorsSelected")).toMatch(/^False NoMonitor/u);
    await bench.install(monitors ?? resources.pods);
    await bench.apply(serviceMonitor("default/web"));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
    await bench.client.delete(resources.customResourceDefinitions, {
      name: "servicemonitors.monitoring.coreos.com",
    });
    await expect.poll(() => bench.jobs("default/main")).toEqual([]);
    await bench.install(monitors ?? resources.pods);
    await bench.apply(serviceMonitor("default/again"));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/again")]);
  });

  test("an operator that was there first waits for its own", async () => {
    const { bench } = await openSimBench({ installed: [] });
    await bench.quiet();
    for (const resource of allResources) await bench.install(resource);
    await bench.apply(agent, team, serviceMonitor("default/web"));
    await expect.poll(() => bench.jobs("default/main")).toEqual([jobOf("default/web")]);
  });
});
