import { resources, type KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { metricsAgents } from "./objects/kinds.ts";
import type { StatefulSet } from "./objects/stateful-set.ts";
import {
  metricsAgent,
  metricsInstance,
  namespace,
  secret,
  serviceMonitor,
  withPassword,
} from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

const basics = [metricsAgent("default/main"), metricsInstance("default/team"), serviceMonitor("default/web")];
const job = "serviceMonitor/default/web/0";

describe("the objects of an agent", () => {
  test("are Secrets, a headless Service and a StatefulSet for each shard, all its own", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...basics, metricsAgent("default/main", { shards: 2, replicas: 3 }));
    await expect.poll(() => bench.jobs("default/main")).toEqual([job]);
    await bench.quiet();
    const agent = await bench.get(metricsAgents, "default/main");
    const owned = await Promise.all([
      bench.get(resources.secrets, "default/metrics-main-files-0"),
      bench.get(resources.secrets, "default/metrics-main-config-0"),
      bench.get(resources.services, "default/metrics-main"),
      bench.get(resources.statefulSets, "default/metrics-main-shard-0"),
      bench.get(resources.statefulSets, "default/metrics-main-shard-1"),
    ]);
    for (const object of owned) {
      expect(object?.metadata.ownerReferences).toMatchObject([
        { kind: "MetricsAgent", name: "main", uid: agent?.metadata.uid, controller: true },
      ]);
      expect(object?.metadata.labels).toMatchObject({ "app.kubernetes.io/managed-by": "bowline-operator" });
    }
    expect(owned[2]).toMatchObject({ spec: { clusterIP: "None" } });
    expect(owned[4]).toMatchObject({
      spec: {
        replicas: 3,
        serviceName: "metrics-main",
        selector: { matchLabels: { "monitoring.bowline.dev/shard": "1" } },
        template: {
          spec: { containers: [{ image: expect.stringMatching(/^registry.example\/prometheus:v3/u) }, {}] },
        },
      },
    });
    expect(await bench.config("default/main")).toContain("modulus: 2");
  });

  test("are not written again when nothing has changed, also by an operator that just started", async () => {
    const { bench } = await openSimBench();
    // Written differently by the server than by us.
    const resourcesAsPeopleWriteThem = { limits: { cpu: "1000m", memory: "1024Mi" } };
    await bench.apply(
      ...basics,
      metricsAgent("default/main", { resources: resourcesAsPeopleWriteThem, tolerations: [], affinity: {} }),
      serviceMonitor("default/locked", withPassword("login")),
      secret("default/login", { password: "one" }),
    );
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(2);
    await bench.quiet();
    bench.writes.length = 0;
    const looks = bench.reconciles.length;
    // Wakes the operator, and changes nothing.
    await bench.apply(
      { ...secret("default/login", { password: "one" }), type: "Opaque" },
      {
        ...secret("default/login", { password: "one" }),
        metadata: { name: "login", namespace: "default", annotations: { note: "seen" } },
      },
    );
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
    await bench.quiet();
    expect(bench.writes).toEqual([]);

    await bench.stopOperator();
    const again = bench.reconciles.length;
    bench.startOperator();
    await expect.poll(() => bench.reconciles.length).toBeGreaterThan(again);
    await bench.quiet();
    expect(bench.writes).toEqual([]);
  });

  test("come back when somebody changes or deletes them", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...basics);
    await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
    await bench.quiet();
    const before = await bench.config("default/main");
    const set = { namespace: "default", name: "metrics-main-shard-0" };
    const edit = { type: "merge", ...set } as const;
    await bench.client.patch(resources.statefulSets, { spec: { replicas: 7 } }, edit);
    await bench.client.patch(
      resources.secrets,
      { data: { "part-0": "" } },
      { ...edit, name: "metrics-main-config-0" },
    );
    await bench.delete(resources.services, "default/metrics-main");
    await bench.client.patch(
      resources.secrets,
      { metadata: { labels: null } },
      { ...edit, name: "metrics-main-files-0" },
    );
    await expect
      .poll(
        async () =>
          (await bench.get<StatefulSet>(resources.statefulSets, "default/metrics-main-shard-0"))?.spec
            .replicas,
      )
      .toBe(1);
    await expect.poll(() => bench.config("default/main")).toBe(before);
    await expect.poll(() => bench.get(resources.services, "default/metrics-main")).toBeDefined();
    await expect
      .poll(async () => (await bench.get(resources.secrets, "default/metrics-main-files-0"))?.metadata.labels)
      .toMatchObject({ "app.kubernetes.io/managed-by": "bowline-operator" });
  });

  test("keep what others add to them", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...basics);
    await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
    const set = { namespace: "default", name: "metrics-main-shard-0" };
    const restart = {
      spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } } } },
    };
    await bench.client.patch(resources.statefulSets, restart, { type: "strategic", ...set });
    await bench.apply(metricsAgent("default/main", { replicas: 2 }));
    await expect
      .poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-0"))
      .toMatchObject({
        spec: { replicas: 2, ...restart.spec },
      });
  });

  test("are deleted when they are not wanted any more, and only they", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...basics, metricsAgent("default/main", { shards: 3 }));
    await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
    const ours = await bench.get(resources.statefulSets, "default/metrics-main-shard-2");
    // One that looks like ours but belongs to nobody, one that the agent owns but without our label.
    const strays: KubeObject[] = [
      {
        ...secret("default/metrics-main-config-7", {}),
        metadata: { ...ours?.metadata, name: "metrics-main-config-7" },
      },
      {
        ...secret("default/metrics-main-config-6", {}),
        metadata: { ...ours?.metadata, name: "metrics-main-config-6" },
      },
    ].map(({ metadata: { labels, ownerReferences, name }, ...rest }, index) => ({
      ...rest,
      metadata: {
        namespace: "default",
        ...(name === undefined ? {} : { name }),
        ...(index === 0 && labels !== undefined ? { labels } : {}),
        ...(index === 1 && ownerReferences !== undefined ? { ownerReferences } : {}),
      },
    }));
    await bench.apply(...strays);
    await bench.apply(metricsAgent("default/main", { shards: 1 }));
    await expect
      .poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-2"))
      .toBeUndefined();
    await expect
      .poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-1"))
      .toBeUndefined();
    await bench.quiet();
    for (const { metadata } of strays)
      expect(await bench.get(resources.secrets, `default/${metadata.name ?? ""}`)).toBeDefined();
    expect(await bench.get(resources.statefulSets, "default/metrics-main-shard-0")).toBeDefined();
    expect(bench.writes.filter((write) => write.startsWith("DELETE"))).toHaveLength(2);
  });

  test("stay as they are while the agent is paused", async () => {
    const { bench } = await openSimBench();
    await bench.apply(...basics);
    await expect.poll(() => bench.jobs("default/main")).toEqual([job]);
    await bench.apply(metricsAgent("default/main", { paused: true, shards: 2 }));
    await expect
      .poll(() => bench.condition("default/main", "Reconciled"))
      .toMatch(/^Unknown Paused .*set it to false/u);
    await bench.quiet();
    bench.writes.length = 0;
    await bench.apply(serviceMonitor("default/more"));
    await bench.quiet();
    expect(bench.writes).toEqual([]);
    await bench.apply(metricsAgent("default/main", { paused: false }));
    await expect.poll(() => bench.jobs("default/main")).toHaveLength(2);
  });

  test("are finished by the next reconcile when one breaks off at any step", async () => {
    const { bench, sim } = await openSimBench();
    await bench.stopOperator();
    await bench.apply(...basics);
    const steps = ["secrets", "services", "statefulsets.apps", "metricsagents.monitoring.bowline.dev"];
    for (const resource of steps) {
      const fault = sim.faults.failRequests({ code: 500, verb: "patch", resource });
      bench.startOperator();
      await expect.poll(() => fault.hits).toBeGreaterThan(0);
      await bench.stopOperator();
      sim.faults.clear();
    }
    bench.startOperator();
    await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
    expect(await bench.jobs("default/main")).toEqual([job]);
    expect(await bench.get(resources.statefulSets, "default/metrics-main-shard-0")).toBeDefined();
  });
});

describe("two agents of one name", () => {
  test("in two namespaces never touch each other's objects (W6)", async () => {
    const { bench } = await openSimBench();
    await bench.apply(namespace("one"), namespace("two"));
    await bench.apply(
      metricsAgent("one/main", { shards: 3 }),
      metricsAgent("two/main", { shards: 1 }),
      metricsInstance("one/team"),
      serviceMonitor("one/web"),
    );
    await expect.poll(() => bench.condition("one/main", "Reconciled")).toMatch(/^True/u);
    await expect.poll(() => bench.condition("two/main", "Reconciled")).toMatch(/^True/u);
    await bench.apply(metricsAgent("two/main", { shards: 1, replicas: 2 }));
    await expect
      .poll(() => bench.get(resources.statefulSets, "two/metrics-main-shard-0"))
      .toMatchObject({
        spec: { replicas: 2 },
      });
    await bench.quiet();
    expect(bench.writes.filter((write) => write.startsWith("DELETE"))).toEqual([]);
    expect(await bench.get(resources.statefulSets, "one/metrics-main-shard-2")).toMatchObject({
      spec: { replicas: 1 },
    });
    await bench.delete(metricsAgents, "two/main");
    await bench.quiet();
    expect(await bench.get(resources.statefulSets, "one/metrics-main-shard-2")).toBeDefined();
  });

  test("an object of somebody else that has the name is left alone, and named", async () => {
    const { bench } = await openSimBench();
    await bench.apply(secret("default/metrics-main-config-0", { mine: "yes" }));
    await bench.apply(...basics);
    await expect
      .poll(() => bench.condition("default/main", "Reconciled"))
      .toMatch(
        /^False NameTaken There is a Secret metrics-main-config-0 that does not belong to this agent/u,
      );
    const theirs = await bench.get<KubeObject & { data?: object }>(
      resources.secrets,
      "default/metrics-main-config-0",
    );
    expect(Object.keys(theirs?.data ?? {})).toEqual(["mine"]);
    expect(bench.reconciles.map(({ outcome }) => outcome.kind)).toContain("waiting");
  });
});
