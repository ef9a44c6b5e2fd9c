import { resources, type KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { metricsAgents } from "./objects/kinds.ts";
import { metricsAgent, metricsInstance, serviceMonitor } from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

const claim = (storage: string): object => ({
  storage: { volumeClaimTemplate: { spec: { resources: { requests: { storage } } } } },
});
const id = "default/metrics-main-shard-0";

test("a StatefulSet that cannot be changed is made anew around its pods; all goes when the agent goes", async () => {
  const { bench } = await openSimBench({ controllers: true, nodes: 1 });
  await bench.apply(
    metricsAgent("default/main"),
    metricsInstance("default/team"),
    serviceMonitor("default/web"),
  );
  await expect.poll(() => bench.condition("default/main", "Ready")).toMatch(/^True Ready/u);
  expect(await bench.status("default/main")).toMatchObject({ shards: 1, replicas: 1, readyReplicas: 1 });
  const before = await bench.get(resources.statefulSets, id);
  const pod = await bench.get(resources.pods, `${id}-0`);
  expect(pod).toBeDefined();

  // The server would refuse this one: nothing is deleted for it.
  await bench.apply(metricsAgent("default/main", { ...claim("1Gi"), affinity: { nodeAffinity: 5 } }));
  await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^False/u);
  expect((await bench.get(resources.statefulSets, id))?.metadata.uid).toBe(before?.metadata.uid);

  await bench.apply(metricsAgent("default/main", claim("1Gi")));
  await expect
    .poll(async () => (await bench.get(resources.statefulSets, id))?.metadata.uid)
    .not.toBe(before?.metadata.uid);
  await expect.poll(() => bench.events.map(({ reason }) => reason)).toContain("Recreated");
  const owners = async (): Promise<unknown> =>
    (await bench.get(resources.pods, `${id}-0`))?.metadata.ownerReferences;
  const after = await bench.get(resources.statefulSets, id);
  await expect.poll(owners).toMatchObject([{ uid: after?.metadata.uid }]);

  await bench.delete(metricsAgents, "default/main");
  const left = async (): Promise<(KubeObject | undefined)[]> =>
    Promise.all([
      bench.get(resources.statefulSets, id),
      bench.get(resources.secrets, "default/metrics-main-config-0"),
      bench.get(resources.services, "default/metrics-main"),
    ]);
  await expect.poll(left).toEqual([undefined, undefined, undefined]);
});
