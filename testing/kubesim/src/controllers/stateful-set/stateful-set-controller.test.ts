import { expect, test } from "vitest";

import type { StatefulSet } from "../kinds/workloads.ts";
import { isReady } from "../pods/pod-state.ts";
import { statefulSet, template } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

function names(cluster: SimCluster): string[] {
  return cluster.pods().map(({ metadata }) => metadata.name);
}

function image(cluster: SimCluster, name: string): string | undefined {
  return cluster.pod(name).spec.containers[0]?.image;
}

function withImage(image: string): (live: StatefulSet) => StatefulSet {
  return (live) => ({ ...live, spec: { ...live.spec, template: template("db", { image }) } });
}

test("pods come up one after another, each when the one before is ready", async () => {
  using cluster = new SimCluster({ startDelayMs: 10_000 });
  const db = cluster.apply(statefulSet("db"));
  const seen: string[] = [];
  for (let step = 0; step < 4; step++) {
    await cluster.pass(step === 0 ? 5_000 : 10_000);
    seen.push(names(cluster).join());
  }
  expect(seen).toEqual(["db-0", "db-0,db-1", "db-0,db-1,db-2", "db-0,db-1,db-2"]);
  const { labels } = cluster.pod("db-1").metadata;
  const revision = cluster.statefulSet("db").status?.updateRevision;
  expect(labels).toMatchObject({
    app: "db",
    "statefulset.kubernetes.io/pod-name": "db-1",
    "apps.kubernetes.io/pod-index": "1",
    "controller-revision-hash": revision,
  });
  expect(cluster.pod("db-1").spec).toMatchObject({ hostname: "db-1", subdomain: "db" });
  expect(cluster.statefulSet("db").status).toEqual({
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
  });
  expect(cluster.events(db)[0]).toBe("SuccessfulCreate: create Pod db-0 in StatefulSet db successful");
});

test("Parallel does not wait", async () => {
  using cluster = new SimCluster({ startDelayMs: 10_000 });
  cluster.apply(statefulSet("db", { podManagementPolicy: "Parallel" }));
  await cluster.settled();
  expect(names(cluster)).toEqual(["db-0", "db-1", "db-2"]);
});

test("an update goes from the highest number down, one pod at a time", async () => {
  using cluster = new SimCluster();
  const db = cluster.apply(statefulSet("db")) as StatefulSet;
  await cluster.pass(10_000);
  const deleted: string[] = [];
  let fewestReady = 3;
  const stop = cluster.store.subscribe("pods", ({ type, object }) => {
    if (type === "DELETED") deleted.push(object.metadata.name);
    fewestReady = Math.min(fewestReady, cluster.pods().filter(isReady).length);
  });
  const before = cluster.statefulSet("db").status?.currentRevision;
  cluster.change(db, withImage("nginx:1.26"));
  await cluster.pass(20_000);
  stop();
  expect(deleted).toEqual(["db-2", "db-1", "db-0"]);
  expect(fewestReady).toBe(2);
  const { status } = cluster.statefulSet("db");
  expect(status?.currentRevision).not.toBe(before);
  expect(status).toMatchObject({
    currentRevision: status?.updateRevision,
    currentReplicas: 3,
    updatedReplicas: 3,
  });
});

test("a partition holds the lower numbers back", async () => {
  using cluster = new SimCluster();
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } } as const;
  const db = cluster.apply(statefulSet("db", { updateStrategy })) as StatefulSet;
  await cluster.pass(10_000);
  cluster.change(db, withImage("nginx:1.26"));
  await cluster.pass(20_000);
  cluster.store.delete("pods", "default", "db-0");
  await cluster.pass(20_000);
  expect(["db-0", "db-1", "db-2"].map((name) => image(cluster, name))).toEqual([
    "nginx:1.25",
    "nginx:1.25",
    "nginx:1.26",
  ]);
  expect(cluster.statefulSet("db").status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
});

test("scaling down takes the highest number first", async () => {
  using cluster = new SimCluster({ stopDelayMs: 5_000 });
  const db = cluster.apply(statefulSet("db")) as StatefulSet;
  await cluster.pass(10_000);
  cluster.change(db, (live) => ({ ...live, spec: { ...live.spec, replicas: 1 } }));
  await cluster.pass(1_000);
  const leaving = cluster.pods().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  expect(leaving.map(({ metadata }) => metadata.name)).toEqual(["db-2"]);
  await cluster.pass(20_000);
  expect(names(cluster)).toEqual(["db-0"]);
});

test("each pod keeps its volumes", async () => {
  using cluster = new SimCluster();
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const db = cluster.apply(statefulSet("db", { replicas: 2, volumeClaimTemplates: [claim as never] }));
  await cluster.pass(10_000);
  const claims = cluster.store.list("persistentvolumeclaims", "default");
  expect(claims.map(({ metadata, status }) => [metadata.name, status])).toEqual([
    ["data-db-0", { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }],
    ["data-db-1", { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }],
  ]);
  expect(cluster.events(db)).toContain(
    "SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success",
  );
  const { uid } = cluster.pod("db-1").metadata;
  cluster.store.delete("pods", "default", "db-1");
  await cluster.pass(10_000);
  expect(cluster.pod("db-1").metadata.uid).not.toBe(uid);
  expect(cluster.pod("db-1").spec.volumes).toContainEqual({
    name: "data",
    persistentVolumeClaim: { claimName: "data-db-1" },
  });
  expect(cluster.store.list("persistentvolumeclaims", "default")).toHaveLength(2);
});
