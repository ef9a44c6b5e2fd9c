import type { KubeObject, ResourceRef } from "@bowline/kube";
import { resources } from "@bowline/kube";

/** An object of a workload, and where it is kept. */
export interface SampleObject {
  readonly resource: ResourceRef;
  readonly object: KubeObject & { readonly metadata: { readonly name: string } };
}

/** What the value of a ConfigMap is until somebody changes it. */
export const wantedValue = "as it was written";

export const podsPerWorkload = 2;

/** Five resources as a small service has them. */
export function sampleObjects(name: string): readonly SampleObject[] {
  const metadata = { name, namespace: "default" };
  return [
    { resource: resources.serviceAccounts, object: { apiVersion: "v1", kind: "ServiceAccount", metadata } },
    {
      resource: resources.configMaps,
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { setting: wantedValue, level: "info" },
      },
    },
    {
      resource: resources.services,
      object: {
        apiVersion: "v1",
        kind: "Service",
        metadata,
        spec: { selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
      },
    },
    {
      resource: resources.podDisruptionBudgets,
      object: {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata,
        spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
      },
    },
    { resource: resources.deployments, object: sampleDeployment(name) },
  ];
}

export function sampleDeployment(name: string): SampleObject["object"] {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas: podsPerWorkload,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: "app",
              image: "registry.example.test/shop/app:1.4.2",
              ports: [{ name: "http", containerPort: 8080 }],
              resources: { requests: { cpu: "10m", memory: "16Mi" } },
            },
          ],
        },
      },
    },
  };
}

/** As manifests; JSON is YAML. */
export function manifestsOf(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join("\n---\n");
}
