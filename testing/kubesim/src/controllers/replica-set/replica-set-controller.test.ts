import { expect, test } from "vitest";

import type { Pod } from "../kinds/pod.ts";
import type { ReplicaSet } from "../kinds/workloads.ts";
import { controllerOf } from "../owner-references.ts";
import { isReady } from "../pods/pod-state.ts";
import { pod, template } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function replicaSet(name: string, replicas: number): Parameters<SimCluster["apply"]>[0] {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
  };
}

function scaled(replicas: number): (live: ReplicaSet) => ReplicaSet {
  return (live) => ({ ...live, spec: { ...live.spec, replicas } });
}

test("pods carry the name, the labels and the owner of their ReplicaSet", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(replicaSet("web", 2));
  await cluster.pass(5_000);
  const pods = cluster.pods();
  expect(pods).toHaveLength(2);
  for (const { metadata } of pods) {
    expect(metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadata.labels).toEqual({ app: "web" });
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: web.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
  expect(cluster.replicaSets()[0]?.status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
});

test("a pod that is deleted is replaced", async () => {
  using cluster = new SimCluster();
  cluster.apply(replicaSet("web", 2));
  await cluster.pass(5_000);
  const [victim] = cluster.pods();
  cluster.store.delete("pods", "default", victim?.metadata.name ?? "");
  await cluster.pass(5_000);
  expect(cluster.pods().filter(isReady)).toHaveLength(2);
  expect(cluster.pods().map(({ metadata }) => metadata.name)).not.toContain(victim?.metadata.name);
});

test("scaling down takes the pods that do not work first", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(replicaSet("web", 4)) as ReplicaSet;
  await cluster.pass(5_000);
  const [sick] = cluster.pods();
  cluster.nodes.behaviour({ name: sick?.metadata.name ?? "" }, { kind: "never-ready" });
  await cluster.pass(1_000);
  expect(cluster.pods().filter(isReady)).toHaveLength(3);
  cluster.change(web, scaled(3));
  await cluster.pass(5_000);
  expect(cluster.pods().filter(isReady)).toHaveLength(3);
  expect(cluster.events(web)).toContain(`SuccessfulDelete: Deleted pod: ${sick?.metadata.name ?? ""}`);
});

test("an orphan that matches is adopted, and a pod whose labels change is let go", async () => {
  using cluster = new SimCluster();
  cluster.apply(pod("stray", { spec: {} }));
  cluster.change(cluster.pod("stray"), (live) => ({
    ...live,
    metadata: { ...live.metadata, labels: { app: "web" } },
  }));
  cluster.apply(replicaSet("web", 2));
  await cluster.pass(5_000);
  expect(cluster.pods()).toHaveLength(2);
  expect(controllerOf(cluster.pod("stray"))?.name).toBe("web");

  cluster.change<Pod>(cluster.pod("stray"), (live) => ({
    ...live,
    metadata: { ...live.metadata, labels: { app: "other" } },
  }));
  await cluster.pass(5_000);
  expect(controllerOf(cluster.pod("stray"))).toBeUndefined();
  expect(cluster.pods().filter((each) => controllerOf(each)?.name === "web")).toHaveLength(2);
});

test("a pod counts as available only after minReadySeconds", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(replicaSet("web", 1)) as ReplicaSet;
  cluster.change(web, (live) => ({ ...live, spec: { ...live.spec, minReadySeconds: 30 } }));
  await cluster.pass(10_000);
  expect(cluster.replicaSets()[0]?.status).toMatchObject({ readyReplicas: 1 });
  expect(cluster.replicaSets()[0]?.status).not.toHaveProperty("availableReplicas");
  await cluster.pass(25_000);
  expect(cluster.replicaSets()[0]?.status).toMatchObject({ availableReplicas: 1 });
});

test("more alike events than ten become one that is combined", async () => {
  using cluster = new SimCluster({ nodes: [{ pods: 500 }] });
  const web = cluster.apply(replicaSet("web", 20));
  await cluster.pass(5_000);
  const created = cluster.events(web).filter((event) => event.startsWith("SuccessfulCreate"));
  expect(created).toHaveLength(11);
  expect(created.at(-1)).toMatch(
    /^SuccessfulCreate: \(combined from similar events\): Created pod: .* \(x10\)$/,
  );
});
