import { resources } from "@bowline/kube";
import { expect, test } from "vitest";

import { topologyStage } from "../testing/cluster-api/cluster-api-stages.ts";
import { ClusterApiWorld, prepareManagementCluster } from "../testing/cluster-api/cluster-api-world.ts";
import { installClusterApi } from "../testing/cluster-api/definitions.ts";
import { startManagementSim } from "../testing/cluster-api/start-management-sim.ts";
import { testWork } from "../testing/provider-work.ts";

test("says so where Cluster API is missing or of another time, and takes the newer version where there are both", async () => {
  await using sim = await startManagementSim();
  const { admin } = sim;
  const form = { version: "v1beta2" } as const;
  const world = new ClusterApiWorld(admin, form);
  const { spec } = topologyStage(form, () => admin);
  const work = testWork({ ...world.cluster, spec }, { clock: world.clock });
  const provider = world.provider();
  expect(await provider.next(work)).toMatchObject({ state: "blocked", reason: "ClusterApiMissing" });

  await installClusterApi(admin, ["v1gamma1"]);
  await world.clock.advance(60_000);
  const unknown = await provider.next(work);
  expect(unknown).toMatchObject({ state: "blocked", reason: "ContractUnknown" });
  expect(unknown.message).toContain("v1gamma1");

  await prepareManagementCluster(admin, ["v1beta1", "v1beta2"]);
  await provider.next(work);
  const { spec: written } = await world.liveCluster();
  expect(written).toMatchObject({ topology: { classRef: { name: "small" } } });
});

test("does not take a kind that is not served for an object that is gone", async () => {
  await using sim = await startManagementSim();
  const { admin } = sim;
  const form = { version: "v1beta1" } as const;
  await prepareManagementCluster(admin, [form.version]);
  const world = new ClusterApiWorld(admin, form);
  const { spec } = topologyStage(form, () => admin);
  const work = testWork({ ...world.cluster, spec }, { clock: world.clock });
  const provider = world.provider();
  await provider.next(work);
  await provider.observe(work);
  await admin.delete(resources.customResourceDefinitions, { name: "clusters.cluster.x-k8s.io" });
  for (const waitMs of [0, 30_000, 30_000, 600_000]) {
    await world.clock.advance(waitMs);
    expect(["lost", "gone", "ready"]).not.toContain((await provider.observe(work)).state);
    expect(["lost", "gone", "ready"]).not.toContain((await provider.delete(work)).state);
  }
});
