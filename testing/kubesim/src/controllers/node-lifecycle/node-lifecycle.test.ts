import { expect, test } from "vitest";

import { findCondition } from "../conditions.ts";
import { isReady } from "../pods/pod-state.ts";
import { daemonSet, deployment, pod } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function podsOn(cluster: SimCluster, node: string): ReturnType<SimCluster["pods"]> {
  return cluster.pods().filter(({ spec }) => spec.nodeName === node);
}

test("a node registers itself with all that a client asks for", async () => {
  using cluster = new SimCluster({ nodes: [{ cpu: "4", memory: "8Gi", pods: 50, zone: "zone-b" }] });
  await cluster.pass(1_000);
  const node = cluster.node("node-1");
  expect(node.metadata.labels).toMatchObject({
    "kubernetes.io/hostname": "node-1",
    "kubernetes.io/os": "linux",
    "topology.kubernetes.io/zone": "zone-b",
  });
  expect(node.status).toMatchObject({
    capacity: { cpu: "4", memory: "8388608Ki", pods: "50" },
    addresses: [
      { type: "InternalIP", address: "172.18.0.2" },
      { type: "Hostname", address: "node-1" },
    ],
    nodeInfo: { kubeletVersion: expect.stringMatching(/^v1\./), operatingSystem: "linux" },
  });
  expect(findCondition(node.status?.conditions, "Ready")).toMatchObject({
    status: "True",
    reason: "KubeletReady",
    message: "kubelet is posting ready status",
  });
  expect(cluster.events(node)).toContain(
    "RegisteredNode: Node node-1 event: Registered Node node-1 in Controller",
  );
});

test("leases are renewed every ten seconds, and healthy nodes stay ready", async () => {
  using cluster = new SimCluster();
  await cluster.pass(600_000);
  const leases = cluster.store.list("leases.coordination.k8s.io", "kube-node-lease");
  expect(leases).toHaveLength(3);
  for (const lease of leases) {
    const { renewTime } = lease["spec"] as { renewTime: string };
    expect(cluster.clock.now() - Date.parse(renewTime)).toBeLessThanOrEqual(10_000);
  }
  expect(cluster.node("node-1").spec?.taints).toBeUndefined();
});

test("a node that fails is marked after 40 seconds, and its pods move after five minutes", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web"));
  cluster.apply(daemonSet("agent"));
  await cluster.pass(60_000);
  const moved = podsOn(cluster, "node-1").find(({ metadata }) => metadata.labels?.["app"] === "web");
  cluster.nodes.fail("node-1");
  await cluster.pass(30_000);
  expect(findCondition(cluster.node("node-1").status?.conditions, "Ready")?.status).toBe("True");
  await cluster.pass(20_000);

  const node = cluster.node("node-1");
  expect(findCondition(node.status?.conditions, "Ready")).toMatchObject({
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  });
  expect(node.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
    "node.kubernetes.io/unreachable:NoSchedule",
    "node.kubernetes.io/unreachable:NoExecute",
  ]);
  expect(podsOn(cluster, "node-1").filter(isReady)).toEqual([]);
  expect(cluster.events(node)).toContain("NodeNotReady: Node node-1 status is now: NodeNotReady");
  expect(cluster.deployment("web").status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 1 });

  await cluster.pass(300_000);
  expect(moved === undefined ? [] : cluster.events(moved)).toContain(
    `TaintManagerEviction: Marking for deletion Pod default/${moved?.metadata.name ?? ""}`,
  );
  expect(cluster.deployment("web").status).toMatchObject({ readyReplicas: 3 });
  const leaving = podsOn(cluster, "node-1").filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  expect(leaving.map(({ metadata }) => metadata.name)).toEqual([moved?.metadata.name]);

  cluster.nodes.recover("node-1");
  await cluster.pass(10_000);
  expect(cluster.node("node-1").spec?.taints).toBeUndefined();
  expect(podsOn(cluster, "node-1").map(({ metadata }) => metadata.labels?.["app"])).toEqual(["agent"]);
  expect(podsOn(cluster, "node-1").every(isReady)).toBe(true);
});

test("a node that recovers in time keeps its pods", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web"));
  await cluster.pass(10_000);
  const before = cluster.pods().map(({ metadata }) => metadata.uid);
  cluster.nodes.fail("node-1");
  await cluster.pass(200_000);
  cluster.nodes.recover("node-1");
  await cluster.pass(300_000);
  expect(cluster.pods().map(({ metadata }) => metadata.uid)).toEqual(before);
  expect(cluster.pods().every(isReady)).toBe(true);
});

test("without heartbeats a node that fails is still noticed", async () => {
  using cluster = new SimCluster({ leasePeriodMs: 0 });
  await cluster.pass(600_000);
  expect(findCondition(cluster.node("node-1").status?.conditions, "Ready")?.status).toBe("True");
  cluster.nodes.fail("node-1");
  await cluster.pass(60_000);
  expect(findCondition(cluster.node("node-1").status?.conditions, "Ready")?.status).toBe("Unknown");
});

test("draining a node moves its pods elsewhere and keeps new ones away", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web", { replicas: 6 }));
  cluster.apply(daemonSet("agent"));
  await cluster.pass(10_000);
  cluster.nodes.drain("node-2");
  await cluster.pass(10_000);
  expect(podsOn(cluster, "node-2").map(({ metadata }) => metadata.labels?.["app"])).toEqual(["agent"]);
  expect(cluster.deployment("web").status).toMatchObject({ readyReplicas: 6 });
  expect(cluster.node("node-2").spec).toMatchObject({
    unschedulable: true,
    taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
  });
  cluster.nodes.uncordon("node-2");
  await cluster.pass(1_000);
  expect(cluster.node("node-2").spec).not.toHaveProperty("taints");
});

test("the pods of a node that is gone are deleted and replaced", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web"));
  cluster.apply(pod("alone", { spec: { nodeName: "node-1" } }));
  await cluster.pass(10_000);
  cluster.nodes.remove("node-1");
  await cluster.pass(60_000);
  expect(podsOn(cluster, "node-1")).toEqual([]);
  expect(cluster.deployment("web").status).toMatchObject({ readyReplicas: 3 });
});
