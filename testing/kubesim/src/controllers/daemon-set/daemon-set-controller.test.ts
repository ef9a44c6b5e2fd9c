import { expect, test } from "vitest";

import type { Node } from "../kinds/node.ts";
import type { DaemonSet } from "../kinds/workloads.ts";
import { isReady } from "../pods/pod-state.ts";
import { daemonSet, template } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function nodesWithPods(cluster: SimCluster): string[] {
  return cluster
    .pods()
    .map(({ spec }) => spec.nodeName ?? "")
    .sort();
}

test("every node gets one pod, also one that joins later", async () => {
  using cluster = new SimCluster();
  cluster.apply(daemonSet("agent"));
  await cluster.pass(5_000);
  expect(nodesWithPods(cluster)).toEqual(["node-1", "node-2", "node-3"]);
  expect(cluster.daemonSet("agent").status).toEqual({
    currentNumberScheduled: 3,
    desiredNumberScheduled: 3,
    numberMisscheduled: 0,
    numberReady: 3,
    numberAvailable: 3,
    updatedNumberScheduled: 3,
    observedGeneration: 1,
  });
  cluster.nodes.add();
  await cluster.pass(5_000);
  expect(nodesWithPods(cluster)).toEqual(["node-1", "node-2", "node-3", "node-4"]);
});

test("nodes that do not fit get none, and lose theirs when they stop fitting", async () => {
  using cluster = new SimCluster({ nodes: [{ labels: { gpu: "yes" } }, { labels: { gpu: "yes" } }, {}] });
  cluster.apply(daemonSet("agent", {}, { spec: { nodeSelector: { gpu: "yes" } } }));
  await cluster.pass(5_000);
  expect(nodesWithPods(cluster)).toEqual(["node-1", "node-2"]);
  cluster.change<Node>(cluster.node("node-2"), (live) => {
    const { gpu: _, ...labels } = live.metadata.labels ?? {};
    return { ...live, metadata: { ...live.metadata, labels } };
  });
  await cluster.pass(5_000);
  expect(nodesWithPods(cluster)).toEqual(["node-1"]);
  cluster.change<Node>(cluster.node("node-1"), (live) => ({
    ...live,
    spec: { ...live.spec, taints: [{ key: "dedicated", effect: "NoSchedule" }] },
  }));
  await cluster.pass(5_000);
  expect(cluster.daemonSet("agent").status).toMatchObject({
    desiredNumberScheduled: 0,
    numberMisscheduled: 1,
  });
});

test("a cordoned node keeps its daemons", async () => {
  using cluster = new SimCluster();
  cluster.nodes.cordon("node-1");
  cluster.apply(daemonSet("agent"));
  await cluster.pass(5_000);
  expect(nodesWithPods(cluster)).toEqual(["node-1", "node-2", "node-3"]);
});

test("an update replaces one pod at a time", async () => {
  using cluster = new SimCluster();
  const agent = cluster.apply(daemonSet("agent")) as DaemonSet;
  await cluster.pass(5_000);
  let fewestReady = 3;
  const stop = cluster.store.subscribe("pods", () => {
    const alive = cluster.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    fewestReady = Math.min(fewestReady, alive.filter(isReady).length);
  });
  cluster.change(agent, (live) => ({
    ...live,
    spec: { ...live.spec, template: template("agent", { image: "nginx:1.26" }) },
  }));
  await cluster.pass(20_000);
  stop();
  expect(fewestReady).toBe(2);
  expect(cluster.pods().map(({ spec }) => spec.containers[0]?.image)).toEqual(
    Array.from({ length: 3 }, () => "nginx:1.26"),
  );
  expect(nodesWithPods(cluster)).toEqual(["node-1", "node-2", "node-3"]);
});
