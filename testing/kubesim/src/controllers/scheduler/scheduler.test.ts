import { expect, test } from "vitest";

import { findCondition } from "../conditions.ts";
import type { Node } from "../kinds/node.ts";
import type { PodSpec } from "../kinds/pod.ts";
import { deployment, pod } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function asking(requests: Record<string, string>): {
  container: { resources: { requests: Record<string, string> } };
} {
  return { container: { resources: { requests } } };
}

function scheduled(cluster: SimCluster, name: string): string | undefined {
  const condition = findCondition(cluster.pod(name).status?.conditions, "PodScheduled");
  return condition?.status === "True" ? "yes" : condition?.message;
}

const onSsd: Partial<PodSpec> = { nodeSelector: { disk: "ssd" } };

test("pods are spread over the nodes", async () => {
  using cluster = new SimCluster({ nodes: 4 });
  cluster.apply(deployment("web", { replicas: 8 }));
  await cluster.pass(5_000);
  const perNode = Map.groupBy(cluster.pods(), ({ spec }) => spec.nodeName);
  expect([...perNode.values()].map((pods) => pods.length)).toEqual([2, 2, 2, 2]);
});

test("a pod that fits nowhere says why, and is bound as soon as there is room", async () => {
  using cluster = new SimCluster({ nodes: [{ cpu: "2" }, { cpu: "2" }, { cpu: "2", memory: "1Gi" }] });
  const big = cluster.apply(pod("big", asking({ cpu: "1500m", memory: "2Gi" })));
  const huge = cluster.apply(pod("huge", asking({ cpu: "4", memory: "2Gi" })));
  await cluster.pass(5_000);
  expect(scheduled(cluster, "big")).toBe("yes");
  expect(scheduled(cluster, "huge")).toBe(
    "0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.",
  );
  expect(cluster.events(huge)).toEqual([
    "FailedScheduling: 0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.",
  ]);
  expect(cluster.events(big)[0]).toMatch(/^Scheduled: Successfully assigned default\/big to node-[12]$/);
  expect(cluster.pod("huge").status).toMatchObject({
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
  });

  cluster.nodes.add({ cpu: "8" });
  await cluster.pass(5_000);
  expect(cluster.pod("huge").spec.nodeName).toBe("node-4");
});

test("a pod that leaves makes room for one that waits", async () => {
  using cluster = new SimCluster({ nodes: [{ cpu: "1" }] });
  cluster.apply(pod("first", asking({ cpu: "1" })));
  await cluster.pass(1_000);
  cluster.apply(pod("second", asking({ cpu: "1" })));
  await cluster.pass(60_000);
  expect(cluster.pod("second").spec.nodeName).toBeUndefined();
  cluster.store.delete("pods", "default", "first");
  await cluster.pass(1_000);
  expect(cluster.pod("second").spec.nodeName).toBe("node-1");
});

test("a node takes no more pods than it has places", async () => {
  using cluster = new SimCluster({ nodes: [{ pods: 3 }] });
  cluster.apply(deployment("web", { replicas: 5 }));
  await cluster.pass(5_000);
  const waiting = cluster.pods().filter(({ spec }) => spec.nodeName === undefined);
  expect(waiting.map(({ metadata }) => scheduled(cluster, metadata.name))).toEqual([
    "0/1 nodes are available: 1 Too many pods.",
    "0/1 nodes are available: 1 Too many pods.",
  ]);
});

test("node selectors, affinity and taints keep pods away", async () => {
  using cluster = new SimCluster({ nodes: [{ labels: { disk: "ssd" } }, {}, {}] });
  cluster.change<Node>(cluster.node("node-2"), (live) => ({
    ...live,
    spec: { ...live.spec, taints: [{ key: "dedicated", value: "db", effect: "NoSchedule" }] },
  }));
  cluster.nodes.cordon("node-3");
  cluster.apply(pod("ssd", { spec: onSsd }));
  cluster.apply(pod("db", { spec: { tolerations: [{ key: "dedicated", value: "db" }] } }));
  cluster.apply(
    pod("picky", {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "In", values: ["tape"] }] }],
            },
          },
        },
      },
    }),
  );
  await cluster.pass(2_000);
  expect(cluster.pod("ssd").spec.nodeName).toBe("node-1");
  expect(cluster.pod("db").spec.nodeName).toMatch(/node-[12]/);
  expect(scheduled(cluster, "picky")).toBe(
    "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {dedicated: db}, 1 node(s) were unschedulable.",
  );
});

test("without nodes pods wait, and start when the first one joins", async () => {
  using cluster = new SimCluster({ nodes: 0 });
  cluster.apply(pod("lonely"));
  await cluster.pass(1_000);
  expect(scheduled(cluster, "lonely")).toBe("no nodes available to schedule pods");
  cluster.nodes.add();
  await cluster.pass(5_000);
  expect(cluster.pod("lonely").status?.phase).toBe("Running");
});
