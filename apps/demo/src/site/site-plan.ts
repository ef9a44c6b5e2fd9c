import type { KubesimOptions, NewObject } from "@bowline/kubesim";

import { crashing, cronJob, daemonSet, deployment, namespace, roleBinding } from "./workloads.ts";

/** A simulated cluster of the demo. */
export interface SitePlan {
  readonly name: string;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cluster: Pick<KubesimOptions, "version" | "nodes">;
  /** What runs in it from the start, in the order in which it is made. */
  readonly objects: readonly (readonly [resource: string, object: NewObject])[];
}

/** The Kubernetes groups that people of the demo act as. */
export const demoGroups = { admins: "demo:admins", viewers: "demo:viewers" } as const;

const access = [
  roleBinding("demo-admins", demoGroups.admins, "cluster-admin"),
  roleBinding("demo-viewers", demoGroups.viewers, "view"),
];

/** The one that nobody can call, where the machine allows it. */
const edge: SitePlan = {
  name: "edge",
  region: "factory-7",
  labels: { env: "prod", tier: "edge" },
  cluster: { version: "v1.33.4", nodes: 2 },
  objects: [
    ...access,
    namespace("shop"),
    deployment("shop", "web", { replicas: 3 }),
    deployment("shop", "checkout", { replicas: 2 }),
    daemonSet("shop", "scanner"),
  ],
};

const cloud: SitePlan = {
  name: "cloud",
  region: "eu-central-1",
  labels: { env: "prod", tier: "cloud" },
  cluster: { version: "v1.34.1", nodes: 3 },
  objects: [
    ...access,
    namespace("payments"),
    namespace("reports"),
    deployment("payments", "api", { replicas: 4 }),
    deployment("payments", "ledger", { replicas: 1, annotations: crashing }),
    cronJob("reports", "nightly"),
  ],
};

export const sitePlans: readonly [SitePlan, SitePlan] = [edge, cloud];
