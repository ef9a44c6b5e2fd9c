import type { KubesimOptions, NewObject } from "@bowline/kubesim";

import { paymentsObjects } from "./payments.ts";

type Placed = readonly [resource: string, object: NewObject];

/** Makes the simulated nodes end a container again and again. */
const crashing = { "kubesim.bowline.dev/behaviour": "crash-loop" };

interface DeploymentOptions {
  readonly replicas: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

function namespace(name: string): Placed {
  return ["namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }];
}

function deployment(place: string, name: string, options: DeploymentOptions): Placed {
  const { replicas, annotations = {} } = options;
  return [
    "deployments.apps",
    { ...workload("Deployment", place, name), spec: { replicas, ...podsOf(name, annotations) } },
  ];
}

function daemonSet(place: string, name: string): Placed {
  return ["daemonsets.apps", { ...workload("DaemonSet", place, name), spec: podsOf(name, {}) }];
}

/** Every minute, so that something comes and goes. */
function cronJob(place: string, name: string): Placed {
  const template = { spec: { ...podSpec(name), restartPolicy: "Never" } };
  return [
    "cronjobs.batch",
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name, namespace: place },
      spec: { schedule: "*/1 * * * *", jobTemplate: { spec: { template } } },
    },
  ];
}

function roleBinding(name: string, group: string, role: string): Placed {
  const apiGroup = "rbac.authorization.k8s.io";
  return [
    `clusterrolebindings.${apiGroup}`,
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      subjects: [{ kind: "Group", apiGroup, name: group }],
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
    },
  ];
}

function workload(kind: string, place: string, name: string): NewObject {
  return { apiVersion: "apps/v1", kind, metadata: { name, namespace: place, labels: { app: name } } };
}

function podsOf(name: string, annotations: Readonly<Record<string, string>>): object {
  const labels = { app: name };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels, annotations }, spec: podSpec(name) },
  };
}

function podSpec(name: string): { containers: { name: string; image: string }[] } {
  return { containers: [{ name, image: `example.test/${name}:1.0` }] };
}

/** A simulated cluster of the demo. */
interface SitePlan {
  readonly name: string;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cluster: Pick<KubesimOptions, "version" | "nodes">;
  /** Objects that are in it from the start, in the order in which they are made. */
  readonly objects: readonly (readonly [resource: string, object: NewObject])[];
}

/** The Kubernetes groups that people of the demo act as. */
export const demoGroups = {
  admins: "demo:admins",
  editors: "demo:editors",
  viewers: "demo:viewers",
} as const;

const access = [
  roleBinding("demo-admins", demoGroups.admins, "cluster-admin"),
  roleBinding("demo-editors", demoGroups.editors, "edit"),
  roleBinding("demo-viewers", demoGroups.viewers, "view"),
];

/** An image that no cluster of the demo can pull; other versions of it can be. */
export const unpublishedImage = "example.test/reports:2.0";

/** The one that nobody can call, where the machine allows it. */
const edge: SitePlan = {
  name: "edge",
  region: "factory-7",
  labels: { env: "prod", tier: "edge" },
  cluster: { version: "v1.33.4", nodes: 2 },
  objects: [
    ...access,
    namespace("shop"),
    namespace("factory"),
    deployment("factory", "conveyor", { replicas: 2 }),
    daemonSet("factory", "scanner"),
  ],
};

const cloud: SitePlan = {
  name: "cloud",
  region: "eu-central-1",
  labels: { env: "prod", tier: "cloud" },
  cluster: { version: "v1.34.1", nodes: 3 },
  objects: [
    ...access,
    namespace("shop"),
    namespace("reports"),
    namespace("payments"),
    ...paymentsObjects,
    deployment("payments", "ledger", { replicas: 1, annotations: crashing }),
    cronJob("payments", "settlement"),
  ],
};

export const sitePlans: readonly [SitePlan, SitePlan] = [edge, cloud];
