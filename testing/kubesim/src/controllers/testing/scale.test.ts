import { expect, test } from "vitest";

import { deployment } from "./manifests.ts";
import { SimCluster } from "./sim-cluster.ts";

test("thousands of pods come up with few writes each, and idle nodes write only their leases", async () => {
  const nodes = Array.from({ length: 50 }, () => ({ cpu: "64", memory: "256Gi", pods: 250 }));
  using cluster = new SimCluster({ nodes, startDelayMs: 0 });
  await cluster.settled();
  let podWrites = 0;
  const stop = cluster.store.subscribe("pods", () => (podWrites += 1));
  for (let index = 0; index < 50; index++) cluster.apply(deployment(`web-${index}`, { replicas: 60 }));
  await cluster.settled();
  stop();

  const pods = cluster.pods();
  expect(pods.filter(({ status }) => status?.phase === "Running")).toHaveLength(3_000);
  // Created, bound, marked as scheduled, running.
  expect(podWrites).toBe(4 * 3_000);
  const perNode = Map.groupBy(pods, ({ spec }) => spec.nodeName);
  expect(new Set([...perNode.values()].map((here) => here.length))).toEqual(new Set([60]));

  const before = cluster.store.objects.revision;
  await cluster.pass(60_000);
  expect(cluster.store.objects.revision - before).toBe(50 * 6);
});
