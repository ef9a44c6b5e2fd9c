import { describe, expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

test("a claim is backed by a volume", () => {
  const facts = factsOf("v1", "PersistentVolumeClaim", {
    spec: {
      volumeName: "pv-1",
      storageClassName: "fast",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    },
    status: { phase: "Bound" },
  });
  expect(toldEdges(facts)).toEqual(["BACKED_BY: it → PersistentVolume//pv-1, /spec/volumeName"]);
  expect(facts.properties).toEqual({
    phase: "Bound",
    storageClass: "fast",
    accessModes: ["ReadWriteOnce"],
    storage: "1Gi",
  });
});

test("a volume says whose claim it is of, and where it is", () => {
  const facts = factsOf("v1", "PersistentVolume", {
    spec: {
      claimRef: { namespace: "shop", name: "data", uid: "u" },
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" },
    },
    status: { phase: "Bound" },
  });
  expect(facts.node).toEqual({ kind: "PersistentVolume", namespace: "", name: "web" });
  expect(toldEdges(facts)).toEqual(["BACKED_BY: PersistentVolumeClaim/shop/data → it, /spec/claimRef"]);
  expect(facts.properties).toEqual({
    phase: "Bound",
    storage: "1Gi",
    reclaimPolicy: "Delete",
    type: "csi",
    driver: "ebs.csi.aws.com",
    volumeHandle: "vol-1",
  });
});

test.each<readonly [object, object]>([
  [{ flexVolume: { driver: "d" } }, { type: "flexVolume", driver: "d" }],
  [{ hostPath: { path: "/data" } }, { type: "hostPath", path: "/data" }],
  [{ local: { path: "/disk" } }, { type: "local", path: "/disk" }],
  [{ nfs: { server: "files", path: "/a" } }, { type: "nfs", server: "files", path: "/a" }],
  [{ azureFile: { shareName: "s", secretName: "key" } }, { type: "azureFile", shareName: "s" }],
])("where a volume is: %j", (spec, properties) => {
  expect(factsOf("v1", "PersistentVolume", { spec }).properties).toEqual(properties);
});

describe("a volume uses Secrets", () => {
  const claimRef = { namespace: "shop", name: "data" };
  const secret = { namespace: "storage", name: "key" };

  test.each<readonly [object, string]>([
    ...[
      "controllerPublishSecretRef",
      "nodeStageSecretRef",
      "nodePublishSecretRef",
      "controllerExpandSecretRef",
      "nodeExpandSecretRef",
    ].map((name) => [{ csi: { [name]: secret } }, `Secret/storage/key, /spec/csi/${name}`] as const),
    ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map(
      (type) => [{ [type]: { secretRef: secret } }, `Secret/storage/key, /spec/${type}/secretRef`] as const,
    ),
    [{ rbd: { secretRef: { name: "key" } } }, "Secret/shop/key, /spec/rbd/secretRef"],
    [
      { azureFile: { secretName: "key", secretNamespace: "storage" } },
      "Secret/storage/key, /spec/azureFile/secretName",
    ],
    [{ azureFile: { secretName: "key" } }, "Secret/shop/key, /spec/azureFile/secretName"],
  ])("%j", (source, told) => {
    const facts = factsOf("v1", "PersistentVolume", { spec: { claimRef, ...source } });
    expect(toldEdges(facts)).toContain(`USES_SECRET: it → ${told}`);
  });
});
