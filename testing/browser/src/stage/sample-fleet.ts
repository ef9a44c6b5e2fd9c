import {
  Cluster,
  ConfigSource,
  DomainName,
  Gateway,
  WorkloadDefinition,
  WorkloadInstance,
} from "@bowline/api";
import type { NewObject } from "@bowline/kubesim";

import type { ConsoleServer } from "./console-server.ts";
import type { ClusterPlan } from "./joined-cluster.ts";

type Placed = readonly [resource: string, object: NewObject];

/** Of everything in a cluster of the tests, so that every place of the console has something to show. */
export const sampleNamespace = "shop";

/** A cluster with a Deployment, and a pod, a Secret and a ConfigMap that have names one can write into an address. */
export function sampleCluster(name: string): ClusterPlan {
  return {
    name,
    labels: { env: "prod" },
    objects: [
      ["namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: sampleNamespace } }],
      ["deployments.apps", deployment()],
      ["pods", { apiVersion: "v1", kind: "Pod", metadata: named("till"), spec: podSpec("till") }],
      [
        "configmaps",
        { apiVersion: "v1", kind: "ConfigMap", metadata: named("settings"), data: { colour: "red" } },
      ],
      [
        "secrets",
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: named("key"),
          type: "Opaque",
          data: { password: Buffer.from(secretCanary).toString("base64") },
        },
      ],
    ],
  };
}

/** The value of the Secret: nobody is to see it who has not asked for it. */
export const secretCanary = "canary-of-the-secret";

const labels = { app: "web" };

function deployment(): Placed[1] {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...named("web"), labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec("web") },
    },
  };
}

function named(name: string): { name: string; namespace: string } {
  return { name, namespace: sampleNamespace };
}

function podSpec(name: string): object {
  return { containers: [{ name, image: `example.test/${name}:1.0` }] };
}

/**
 * Deploys a workload called `reports` whose image cannot be had, with a Gateway that no cluster can serve and a DomainName
 * `example-test` that has no address for its hosts, and names a source `fleet` that nobody serves and a cluster `made` that
 * nobody can make.
 */
export async function deployBroken(server: ConsoleServer, clusters: readonly string[]): Promise<void> {
  const name = "reports";
  const manifests = `apiVersion: apps/v1
kind: Deployment
metadata: { name: reports }
spec:
  replicas: 1
  selector: { matchLabels: { app: reports } }
  template:
    metadata:
      labels: { app: reports }
      annotations: { kubesim.bowline.dev/behaviour: image-pull-error }
    spec:
      containers: [{ name: reports, image: example.test/reports:2.0 }]
`;
  await server.admin.apply(WorkloadDefinition, name, {
    metadata: { name },
    spec: { source: { inline: { manifests } } },
  });
  await server.admin.apply(WorkloadInstance, name, {
    metadata: { name },
    spec: {
      definition: name,
      placement: { clusters: [...clusters] },
      namespace: sampleNamespace,
      actingUser: "admin",
    },
  });
  await server.admin.apply(ConfigSource, "fleet", {
    metadata: { name: "fleet" },
    spec: { git: { url: "https://127.0.0.1:9/fleet.git", ref: "main" }, actsAs: "admin" },
  });
  await server.admin.apply(Gateway, name, {
    metadata: { name },
    spec: {
      instance: name,
      hosts: ["reports.example.test", "*.reports.example.test"],
      rules: [{ path: "/", service: name, port: 80 }],
    },
  });
  await server.admin.apply(DomainName, "example-test", {
    metadata: { name: "example-test" },
    spec: { domain: "example.test", provider: "rfc2136", rfc2136: { server: "127.0.0.1:9" } },
  });
  await server.admin.apply(Cluster, "made", {
    metadata: { name: "made" },
    spec: { provider: "exec", exec: { command: "nothing" }, maxNodes: 3, protect: true },
  });
}
