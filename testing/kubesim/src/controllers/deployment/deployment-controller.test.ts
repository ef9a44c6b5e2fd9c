import { expect, test } from "vitest";

import { findCondition } from "../conditions.ts";
import type { Deployment } from "../kinds/workloads.ts";
import { isReady } from "../pods/pod-state.ts";
import { deployment, template } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";
import { revisionOf } from "./deployment-annotations.ts";

function withImage(image: string): (live: Deployment) => Deployment {
  return (live) => ({
    ...live,
    spec: { ...live.spec, template: template(live.metadata.name, { image }) },
  });
}

function progress(cluster: SimCluster, name: string): string | undefined {
  return findCondition(cluster.deployment(name).status?.conditions, "Progressing")?.reason;
}

function images(cluster: SimCluster): (string | undefined)[] {
  return [...new Set(cluster.pods().map((pod) => pod.spec.containers[0]?.image))];
}

test("a deployment brings its pods up and says so", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web"));
  await cluster.pass(5_000);

  const [replicaSet] = cluster.replicaSets();
  const hash = replicaSet?.metadata.labels?.["pod-template-hash"] ?? "";
  expect(replicaSet?.metadata.name).toBe(`web-${hash}`);
  expect(replicaSet?.metadata.annotations).toEqual({
    "deployment.kubernetes.io/desired-replicas": "3",
    "deployment.kubernetes.io/max-replicas": "4",
    "deployment.kubernetes.io/revision": "1",
  });
  expect(cluster.deployment("web").status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [
      {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      },
      {
        type: "Progressing",
        status: "True",
        reason: "NewReplicaSetAvailable",
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      },
    ],
  });
  expect(cluster.deployment("web").status).not.toHaveProperty("unavailableReplicas");
  expect(cluster.events(web)).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} to 3`]);
});

test("a deployment rolls to a new image without dropping below maxUnavailable or rising above maxSurge", async () => {
  using cluster = new SimCluster();
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 };
  const web = cluster.apply(
    deployment("web", { replicas: 6, strategy: { type: "RollingUpdate", rollingUpdate } }),
  ) as Deployment;
  await cluster.pass(5_000);

  let fewestReady = Number.POSITIVE_INFINITY;
  let mostPods = 0;
  const stops = [
    cluster.store.subscribe("pods", () => {
      const pods = cluster.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined);
      fewestReady = Math.min(fewestReady, pods.filter(isReady).length);
    }),
    cluster.store.subscribe("replicasets.apps", () => {
      const wanted = cluster.replicaSets().reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
      mostPods = Math.max(mostPods, wanted);
    }),
  ];
  cluster.change(web, withImage("nginx:1.26"));
  await cluster.pass(20_000);
  for (const stop of stops) stop();

  expect(images(cluster)).toEqual(["nginx:1.26"]);
  expect(cluster.pods()).toHaveLength(6);
  expect(fewestReady).toBe(5);
  expect(mostPods).toBe(7);
  expect(revisionOf(cluster.deployment("web"))).toBe(2);
  expect(progress(cluster, "web")).toBe("NewReplicaSetAvailable");
});

test("a template that returns takes up its old ReplicaSet with a new revision", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web")) as Deployment;
  await cluster.pass(5_000);
  const [first] = cluster.replicaSets();
  cluster.change(web, withImage("nginx:1.26"));
  await cluster.pass(10_000);
  cluster.change(web, withImage("nginx:1.25"));
  await cluster.pass(10_000);

  expect(cluster.replicaSets()).toHaveLength(2);
  const again = cluster.replicaSets().find(({ metadata }) => metadata.uid === first?.metadata.uid);
  expect(again?.spec.replicas).toBe(3);
  expect(again?.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "3",
    "deployment.kubernetes.io/revision-history": "1",
  });
  expect(revisionOf(cluster.deployment("web"))).toBe(3);
});

test("Recreate ends every old pod before it makes a new one", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web", { strategy: { type: "Recreate" } })) as Deployment;
  await cluster.pass(5_000);
  const seen: string[] = [];
  const stop = cluster.store.subscribe("pods", () => seen.push(images(cluster).join("+")));
  cluster.change(web, withImage("nginx:1.26"));
  await cluster.pass(20_000);
  stop();

  expect(seen).not.toContain("nginx:1.25+nginx:1.26");
  expect(images(cluster)).toEqual(["nginx:1.26"]);
  expect(cluster.deployment("web").status?.availableReplicas).toBe(3);
});

test("a rollout that cannot go on exceeds its deadline, keeps the old pods, and recovers when it is mended", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web", { progressDeadlineSeconds: 60 })) as Deployment;
  await cluster.pass(5_000);
  const undo = cluster.nodes.behaviour({ labels: { app: "web" } }, { kind: "image-pull-error" });
  cluster.change(web, withImage("nginx:nope"));
  await cluster.pass(30_000);
  expect(progress(cluster, "web")).toBe("ReplicaSetUpdated");
  await cluster.pass(40_000);

  expect(progress(cluster, "web")).toBe("ProgressDeadlineExceeded");
  const condition = findCondition(cluster.deployment("web").status?.conditions, "Progressing");
  expect(condition).toMatchObject({
    status: "False",
    message: expect.stringMatching(/^ReplicaSet "web-\w+" has timed out progressing\.$/),
  });
  expect(cluster.deployment("web").status).toMatchObject({ availableReplicas: 3, unavailableReplicas: 1 });

  undo();
  await cluster.pass(300_000);
  expect(progress(cluster, "web")).toBe("NewReplicaSetAvailable");
  expect(images(cluster)).toEqual(["nginx:nope"]);
});

test("a paused deployment scales but does not roll", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web")) as Deployment;
  await cluster.pass(5_000);
  cluster.change(web, (live) => ({ ...live, spec: { ...live.spec, paused: true } }));
  await cluster.pass(1_000);
  expect(progress(cluster, "web")).toBe("DeploymentPaused");
  cluster.change(web, withImage("nginx:1.26"));
  cluster.change(web, (live) => ({ ...live, spec: { ...live.spec, paused: true, replicas: 5 } }));
  await cluster.pass(5_000);
  expect(images(cluster)).toEqual(["nginx:1.25"]);
  expect(cluster.pods()).toHaveLength(5);

  cluster.change(web, (live) => ({ ...live, spec: { ...live.spec, paused: false } }));
  await cluster.pass(20_000);
  expect(images(cluster)).toEqual(["nginx:1.26"]);
  expect(progress(cluster, "web")).toBe("NewReplicaSetAvailable");
});

test("a change of scale in the middle of a rollout is shared out in proportion", async () => {
  using cluster = new SimCluster();
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
  const web = cluster.apply(
    deployment("web", { replicas: 10, strategy: { type: "RollingUpdate", rollingUpdate } }),
  ) as Deployment;
  await cluster.pass(5_000);
  cluster.nodes.behaviour({ labels: { app: "web" } }, { kind: "image-pull-error" });
  cluster.change(web, withImage("nginx:nope"));
  await cluster.pass(5_000);
  const sizes = (): (number | undefined)[] => cluster.replicaSets().map(({ spec }) => spec.replicas);
  expect(sizes()).toEqual([8, 5]);
  cluster.change(web, (live) => ({ ...live, spec: { ...live.spec, replicas: 15 } }));
  await cluster.pass(5_000);
  // The example of the Kubernetes documentation.
  expect(sizes()).toEqual([11, 7]);
});

test("old ReplicaSets beyond revisionHistoryLimit are deleted", async () => {
  using cluster = new SimCluster();
  const web = cluster.apply(deployment("web", { revisionHistoryLimit: 2 })) as Deployment;
  for (const image of ["a:1", "a:2", "a:3", "a:4"]) {
    await cluster.pass(10_000);
    cluster.change(web, withImage(image));
  }
  await cluster.pass(10_000);
  expect(new Set(cluster.replicaSets().map(revisionOf))).toEqual(new Set([3, 4, 5]));
});

test("deleting a deployment leaves nothing behind", async () => {
  using cluster = new SimCluster();
  cluster.apply(deployment("web"));
  await cluster.pass(5_000);
  cluster.store.delete("deployments.apps", "default", "web", { propagation: "Background" });
  await cluster.pass(5_000);
  expect(cluster.replicaSets()).toEqual([]);
  expect(cluster.pods()).toEqual([]);
});
