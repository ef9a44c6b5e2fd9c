import { describe, expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: {
    serviceAccountName: "shop",
    imagePullSecrets: [{ name: "registry" }],
    volumes: [
      { name: "tls", secret: { secretName: "tls" } },
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "scratch", ephemeral: {} },
    ],
    initContainers: [{ name: "setup", envFrom: [{ configMapRef: { name: "site" } }] }],
    containers: [
      {
        name: "app",
        image: "nginx:1.27",
        env: [{ name: "DB", valueFrom: { secretKeyRef: { name: "db", key: "password" } } }],
        volumeMounts: [{ name: "tls", mountPath: "/tls" }],
      },
    ],
  },
};

function uses(at: string): string[] {
  const image = "reference=docker.io/library/nginx:1.27 registry=docker.io repository=library/nginx tag=1.27";
  return [
    `RUNS_AS: it → ServiceAccount/shop/shop, ${at}/serviceAccountName`,
    `USES_SECRET: it → Secret/shop/registry, ${at}/imagePullSecrets/0 (isForPulling)`,
    `USES_SECRET: it → Secret/shop/tls, ${at}/volumes/0/secret (volume=tls)`,
    `BACKED_BY: it → PersistentVolumeClaim/shop/data, ${at}/volumes/1/persistentVolumeClaim (volume=data)`,
    `USES_CONFIGMAP: it → ConfigMap/shop/site, ${at}/initContainers/0/envFrom/0/configMapRef (container=setup)`,
    `RUNS_IMAGE: it → ContainerImage//ref:docker.io/library/nginx:1.27, ${at}/containers/0/image (container=app ${image})`,
    `USES_SECRET: it → Secret/shop/db, ${at}/containers/0/env/0/valueFrom/secretKeyRef (container=app env=DB key=password)`,
  ];
}

describe("what its pods will use is used by a workload that has none", () => {
  test.each([
    ["apps/v1", "Deployment"],
    ["apps/v1", "ReplicaSet"],
    ["apps/v1", "StatefulSet"],
    ["apps/v1", "DaemonSet"],
    ["batch/v1", "Job"],
  ])("%s %s", (apiVersion, kind) => {
    const facts = factsOf(apiVersion, kind, { spec: { replicas: 0, template } });
    expect(toldEdges(facts)).toEqual(uses("/spec/template/spec"));
    expect(facts.parts).toEqual([]);
  });

  test("batch/v1 CronJob", () => {
    const facts = factsOf("batch/v1", "CronJob", {
      spec: { schedule: "@hourly", suspend: true, jobTemplate: { spec: { template } } },
    });
    expect(toldEdges(facts)).toEqual(uses("/spec/jobTemplate/spec/template/spec"));
    expect(facts.properties).toEqual({ schedule: "@hourly", suspend: true });
  });
});

test.each([{}, { spec: null }, { spec: {} }, { spec: { template: {} } }])(
  "of half a workload nobody knows whom it runs as: %j",
  (object) => {
    expect(toldEdges(factsOf("apps/v1", "Deployment", object))).toEqual([]);
  },
);

test("a ReplicaSet that a Deployment keeps to go back to uses nothing", () => {
  const metadata = {
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u" }],
  };
  const retired = factsOf("apps/v1", "ReplicaSet", { metadata, spec: { replicas: 0, template } });
  expect(toldEdges(retired)).toEqual(["OWNS: Deployment/shop/web → it, /metadata/ownerReferences/0"]);
  const current = factsOf("apps/v1", "ReplicaSet", { metadata, spec: { replicas: 1, template } });
  expect(toldEdges(current)).toHaveLength(8);
});

describe("a StatefulSet", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" } }];
  const selector = { matchLabels: { app: "db" } };

  test("is backed by its claims, also by those whose pods are gone", () => {
    const spec = { replicas: 0, serviceName: "db", selector, volumeClaimTemplates, template };
    const facts = factsOf("apps/v1", "StatefulSet", { spec });
    expect(facts.properties).toEqual({ replicas: 0, serviceName: "db", claimTemplates: ["data"] });
    expect(facts.selections).toEqual([
      {
        type: "BACKED_BY",
        kind: "PersistentVolumeClaim",
        namespace: "shop",
        selector,
        at: "/spec/volumeClaimTemplates",
      },
    ]);
  });

  test.each([{ selector }, { volumeClaimTemplates }, { selector: {}, volumeClaimTemplates }])(
    "without templates, or labels to find them by, has no claims: %j",
    (spec) => {
      expect(factsOf("apps/v1", "StatefulSet", { spec }).selections).toEqual([]);
    },
  );
});
