import { expect, test } from "vitest";

import type { PodDisruptionBudget } from "../kinds/policy.ts";
import { deployment } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function guard(cluster: SimCluster, spec: PodDisruptionBudget["spec"]): () => PodDisruptionBudget["status"] {
  cluster.apply({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "guard" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
  return () => {
    const found = cluster.store.get("poddisruptionbudgets.policy", "default", "guard");
    return (found as PodDisruptionBudget | undefined)?.status;
  };
}

test("what may go follows the pods that are ready", async () => {
  using cluster = new SimCluster();
  const status = guard(cluster, { minAvailable: 2 });
  await cluster.settled();
  expect(status()).toMatchObject({ observedGeneration: 1, disruptionsAllowed: 0, expectedPods: 0 });
  cluster.apply(deployment("web", { replicas: 3 }));
  await cluster.pass(5_000);
  expect(status()).toMatchObject({
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
  });
  cluster.change(cluster.deployment("web"), (live) => ({ ...live, spec: { ...live.spec, replicas: 2 } }));
  await cluster.pass(60_000);
  expect(status()).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ status: "False", reason: "InsufficientPods" }],
  });
});

test.each<[PodDisruptionBudget["spec"], number]>([
  [{ maxUnavailable: 1 }, 3],
  [{ maxUnavailable: "50%" }, 2],
  [{ minAvailable: "50%" }, 2],
  [{ minAvailable: "26%" }, 2],
  [{ minAvailable: 0 }, 0],
])("of four replicas %j keeps %i", async (spec, desiredHealthy) => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web", { replicas: 4 }));
  const status = guard(cluster, spec);
  await cluster.pass(5_000);
  expect(status()).toMatchObject({ expectedPods: 4, desiredHealthy, disruptionsAllowed: 4 - desiredHealthy });
});

test("an eviction that was granted counts until it is two minutes old", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web", { replicas: 2 }));
  const status = guard(cluster, { minAvailable: 1 });
  await cluster.pass(5_000);
  const budget = cluster.store.get("poddisruptionbudgets.policy", "default", "guard");
  const name = cluster.pods()[0]?.metadata.name ?? "";
  const now = new Date(cluster.clock.now()).toISOString();
  if (budget !== undefined) {
    cluster.store.updateStatus("poddisruptionbudgets.policy", {
      ...budget,
      status: { ...status(), disruptedPods: { [name]: now }, disruptionsAllowed: 0 },
    });
  }
  await cluster.settled();
  expect(status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
  await cluster.pass(121_000);
  expect(status()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect(status()).not.toHaveProperty("disruptedPods");
});
