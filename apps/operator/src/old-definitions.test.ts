import { resources, type KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { metricsAgents, metricsInstances, monitorResources } from "./objects/kinds.ts";
import { definitionOf } from "./testing/definitions.ts";
import { metricsAgent, metricsInstance, secret, serviceMonitor, withPassword } from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

/** Fields that came later than the first definitions. */
const laterFields = new Set(["expectedTargets", "withoutTargets"]);

/** The definition without them, wherever they are in its schema. */
function olderDefinition(definition: KubeObject): KubeObject {
  const drop = (name: string, value: unknown): unknown => (laterFields.has(name) ? undefined : value);
  return JSON.parse(JSON.stringify(definition, drop)) as KubeObject;
}

test("a server that drops what it does not know is not told the same again and again", async () => {
  const { bench } = await openSimBench({ installed: monitorResources, runsOperator: false });
  for (const resource of [metricsAgents, metricsInstances]) {
    const options = { fieldManager: "test", force: true };
    await bench.client.apply(
      resources.customResourceDefinitions,
      olderDefinition(definitionOf(resource)),
      options,
    );
  }
  const login = secret("default/login", { password: "one" });
  const objects = [
    metricsAgent("default/main"),
    metricsInstance("default/team"),
    serviceMonitor("default/web"),
    serviceMonitor("default/locked", withPassword("login")),
  ];
  await bench.apply(login, ...objects);
  bench.startOperator();
  await expect.poll(() => bench.condition("default/main", "TargetsFound")).toMatch(/^False/u);
  await bench.quiet();
  expect(await bench.status("default/main")).not.toHaveProperty("expectedTargets");
  const looks = bench.reconciles.length;
  bench.writes.length = 0;
  // Wakes the agent and its instance, and changes nothing.
  await bench.apply({ ...login, metadata: { ...login.metadata, annotations: { note: "seen" } } });
  await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
  await bench.quiet();
  expect(bench.writes).toEqual([]);
});
