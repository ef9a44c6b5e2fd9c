import { resources } from "@bowline/kube";
import { monitoringDefinitions } from "@bowline/monitoring";
import { expect, test } from "vitest";

import { metricsAgents, metricsInstances } from "./objects/kinds.ts";
import { definitionOf } from "./testing/definitions.ts";
import { metricsAgent, metricsInstance, serviceMonitor } from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

/** Faults that an API server, or another client of it, may confront an operator with. */

/** Longer than a test takes. */
const neverMs = 3_600_000;

const basics = [metricsAgent("default/main"), metricsInstance("default/team"), serviceMonitor("default/web")];

test("conflicts delay a status and a deletion, and lose neither", async () => {
  const { bench, sim } = await openSimBench();
  await bench.apply(...basics, metricsAgent("default/main", { shards: 2 }));
  await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
  await bench.quiet();
  const status = sim.faults.failRequests({
    verb: "patch",
    path: /metricsagents\/main\/status/u,
    code: 409,
    times: 2,
  });
  await bench.apply(serviceMonitor("default/bad", { interval: "soon" }));
  await expect.poll(() => bench.condition("default/main", "MonitorsAccepted")).toMatch(/^False/u);
  expect(status.hits).toBe(2);
  const deletion = sim.faults.failRequests({
    verb: "delete",
    resource: "statefulsets.apps",
    code: 409,
    times: 1,
  });
  await bench.apply(metricsAgent("default/main", { shards: 1 }));
  await expect.poll(() => bench.get(resources.statefulSets, "default/metrics-main-shard-1")).toBeUndefined();
  expect(deletion.hits).toBe(1);
});

test("an agent of absurd size is refused where the definition lets it through", async () => {
  const { bench } = await openSimBench();
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const lax = monitoringDefinitions()
    .filter(({ metadata }) => metadata.name === definitionOf(metricsAgents).metadata.name)
    .map((definition) => ({
      ...definition,
      spec: {
        ...definition.spec,
        versions: definition.spec.versions.map((version) => ({
          ...version,
          schema: { openAPIV3Schema: anything },
        })),
      },
    }));
  expect(lax).toHaveLength(1);
  await bench.apply(...lax, ...basics);
  const absurd = {
    many: { shards: 1e9 },
    less: { shards: -1 },
    half: { replicas: 1.5 },
    huge: { replicas: 1e9 },
  };
  for (const [name, spec] of Object.entries(absurd)) await bench.apply(metricsAgent(`default/${name}`, spec));
  await bench.apply({ ...metricsAgent("default/text"), spec: "two shards" });
  for (const name of [...Object.keys(absurd), "text"]) {
    await expect
      .poll(() => bench.condition(`default/${name}`, "Reconciled"))
      .toMatch(/^False InvalidSpec Its spec cannot be used\. /u);
  }
  await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
});

test("others do not wait for an agent with very many shards", async () => {
  const { bench, sim } = await openSimBench();
  await bench.apply(...basics);
  await expect.poll(() => bench.jobs("default/main")).toHaveLength(1);
  const held = sim.faults.slowRequests({ path: /\/statefulsets\/metrics-many-shard-/u, delayMs: neverMs });
  await bench.apply(metricsAgent("default/many", { shards: 300 }));
  await expect.poll(() => held.hits).toBeGreaterThan(0);
  await bench.apply(serviceMonitor("default/late"));
  await expect.poll(() => bench.jobs("default/main")).toHaveLength(2);
  // It is still about its first ones.
  const shards = [...sim.api.list("statefulsets.apps")].map(({ metadata }) => metadata.name);
  expect(shards.filter((name) => name.startsWith("metrics-many-"))).toEqual([]);
});

test("an agent that is deleted and never goes keeps nobody waiting", async () => {
  const { bench } = await openSimBench();
  const finalizers = { metadata: { finalizers: ["example.com/never"] } };
  await bench.apply(...basics, metricsAgent("default/stuck"));
  await expect.poll(() => bench.condition("default/stuck", "Reconciled")).toMatch(/^True/u);
  const stuck = { namespace: "default", name: "stuck" };
  await bench.client.patch(metricsAgents, finalizers, { type: "merge", ...stuck });
  await bench.delete(metricsAgents, "default/stuck");
  await bench.quiet();
  await bench.apply(metricsInstance("default/later"));
  const status = { agents: [{ name: "default/main" }] };
  await expect.poll(() => bench.get(metricsInstances, "default/later")).toMatchObject({ status });
  await expect.poll(() => bench.get(metricsInstances, "default/team")).toMatchObject({ status });
});
