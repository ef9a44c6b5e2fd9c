import type { NewObject, SimObject } from "@bowline/kubesim";

type SimObjectMeta = SimObject["metadata"];

export const deployment = (name: string, image = "web:1"): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image }] },
    },
  },
});

export const pod = {
  apiVersion: "v1",
  kind: "Pod",
  spec: { containers: [{ name: "a", image: "a:1" }] },
};

/** The metadata of an object that another one controls. */
export function ownedBy({ apiVersion, kind, metadata: { name, uid } }: SimObject): Partial<SimObjectMeta> {
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}

/** About a pod, as it is written through the older of the two APIs. */
export const event = (uid: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "Event",
  involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-1", uid },
  type: "Warning",
  reason: "BackOff",
  message: "Back-off restarting failed container",
  count: 1,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:10Z",
  ...more,
});

export const service = {
  apiVersion: "v1",
  kind: "Service",
  spec: { ports: [{ port: 80 }], selector: { a: "b" } },
};

export const replicaSet = (replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
});

const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } };

export const jobBody = { apiVersion: "batch/v1", kind: "Job", spec: { template } };

export const cronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  spec: { schedule: "0 0 * * *", jobTemplate: { spec: { template } } },
};

export const widgetBody = (kind: string): object => ({ apiVersion: "example.com/v1", kind, spec: {} });

/** The definition of a custom resource in which anything may be written. */
export function widgets(plural: string, kind: string): NewObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
