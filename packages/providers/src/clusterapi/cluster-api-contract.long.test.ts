import type { KubeClient } from "@bowline/kube";
import { afterAll, beforeAll, describe } from "vitest";

import { clusterApiBehaviour } from "../testing/cluster-api/cluster-api-behaviour.ts";
import { templateStage, topologyStage } from "../testing/cluster-api/cluster-api-stages.ts";
import { prepareManagementCluster } from "../testing/cluster-api/cluster-api-world.ts";
import { startManagementSim, type ManagementSim } from "../testing/cluster-api/start-management-sim.ts";
import { providerContract } from "../testing/provider-contract.ts";

describe.each([
  { version: "v1beta1", hasNewConditions: false },
  { version: "v1beta1", hasNewConditions: true },
  { version: "v1beta2" },
] as const)("with $version of Cluster API (new conditions: $hasNewConditions)", (form) => {
  let sim: ManagementSim;
  const admin = (): KubeClient => sim.admin;

  beforeAll(async () => {
    sim = await startManagementSim();
    await prepareManagementCluster(sim.admin, [form.version]);
  });

  afterAll(() => sim[Symbol.asyncDispose]());

  providerContract("clusterapi, of a class", topologyStage(form, admin));
  providerContract("clusterapi, of a template", templateStage(form, admin));
  clusterApiBehaviour(form, admin);
});
