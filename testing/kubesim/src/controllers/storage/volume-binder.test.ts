import { expect, test } from "vitest";

import { pod } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const mounting = { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] } };

test("a claim gets a volume of the default class, and takes it along when it goes", async () => {
  using cluster = new SimCluster();
  const { uid } = cluster.apply(claim).metadata;
  await cluster.settled();
  const name = `pvc-${uid}`;
  expect(cluster.store.get("persistentvolumeclaims", "default", "data")).toMatchObject({
    spec: { storageClassName: "standard", volumeName: name },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  });
  expect(cluster.store.get("persistentvolumes", undefined, name)).toMatchObject({
    spec: { claimRef: { name: "data", uid }, persistentVolumeReclaimPolicy: "Delete" },
    status: { phase: "Bound" },
  });
  cluster.store.delete("persistentvolumeclaims", "default", "data");
  await cluster.pass(1_000);
  expect(cluster.store.list("persistentvolumes")).toEqual([]);
});

test("a pod waits for its claim, and the claim for a volume that fits", async () => {
  using cluster = new SimCluster();
  cluster.apply(pod("web", mounting));
  cluster.apply({ ...claim, spec: { ...claim.spec, storageClassName: "" } });
  await cluster.pass(5_000);
  expect(cluster.pod("web").status?.conditions).toMatchObject([
    {
      type: "PodScheduled",
      status: "False",
      message: expect.stringContaining("unbound immediate PersistentVolumeClaims"),
    },
  ]);
  cluster.store.create("persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/disk" } },
  });
  await cluster.pass(20_000);
  expect(cluster.pod("web").status?.phase).toBe("Running");
  cluster.store.delete("persistentvolumeclaims", "default", "data");
  await cluster.pass(1_000);
  expect(cluster.store.get("persistentvolumes", undefined, "disk")?.["status"]).toEqual({
    phase: "Released",
  });
});
