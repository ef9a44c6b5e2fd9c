import { resources } from "@bowline/kube";
import { expect, test } from "vitest";

import { WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const agent = "agent-token";
const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default}}\n";
// No agent has to read Secrets.
const secret = "---\n{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: default}}\n";
const impersonate = { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] };
const extras = { apiGroups: ["authentication.k8s.io"], resources: ["*"], verbs: ["impersonate"] };
const definitions = { apiGroups: ["apiextensions.k8s.io"], resources: ["*"], verbs: ["*"] };
const workloads = { apiGroups: ["bowline.dev"], resources: ["*"], verbs: ["*"] };
const watchConfigMaps = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] };

/** The agent may do this and nothing else. */
async function allow({ client }: TestCluster, ...rules: readonly object[]): Promise<void> {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "agent" },
    rules,
  };
  await client.apply(resources.clusterRoles, role, { fieldManager: "test", force: true });
}

async function bindAgent({ client, sim }: TestCluster): Promise<void> {
  sim.addUser(agent, { name: "agent", groups: ["system:authenticated"] });
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "agent" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "agent" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "agent" }],
  };
  await client.create(resources.clusterRoleBindings, binding);
}

test("rights that the agent lacks are named with the rule to add, until it has them", async () => {
  const harness = await WorkloadHarness.open();
  const east = await harness.addCluster("east");
  await allow(east, impersonate, extras);
  await bindAgent(east);
  await harness.connect("east", agent);
  await harness.define(configMap + secret);
  await harness.place(["east"]);
  const watched = () => harness.condition("east", "Watched");
  const messageOf = async (): Promise<string> =>
    (await harness.placement("east"))?.status.conditions.find(({ type }) => type === "Watched")?.message ??
    "";
  await expect.poll(watched).toBe("False WorkloadForbidden");
  expect(await messageOf()).toContain(
    '{"apiGroups":["bowline.dev"],"resources":["workloads","workloads/status"]',
  );
  // What is applied does not wait for it.
  expect(await harness.condition("east")).toBe("True Applied");
  await allow(east, impersonate, extras, definitions, workloads);
  await harness.connect("east", agent);
  await expect.poll(watched).toBe("False WatchForbidden");
  expect(await messageOf()).toContain(
    'Add to its ClusterRole: {"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"]}',
  );
  await allow(east, impersonate, extras, definitions, workloads, watchConfigMaps);
  await harness.connect("east", agent);
  await expect.poll(watched).toBe("True Watched");
});
