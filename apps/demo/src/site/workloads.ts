import type { NewObject } from "@bowline/kubesim";

type Placed = readonly [resource: string, object: NewObject];

/** Makes the simulated nodes end a container again and again. */
export const crashing = { "kubesim.bowline.dev/behaviour": "crash-loop" };

interface DeploymentOptions {
  readonly replicas: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function namespace(name: string): Placed {
  return ["namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }];
}

export function deployment(place: string, name: string, options: DeploymentOptions): Placed {
  const { replicas, annotations = {} } = options;
  return [
    "deployments.apps",
    { ...workload("Deployment", place, name), spec: { replicas, ...podsOf(name, annotations) } },
  ];
}

export function daemonSet(place: string, name: string): Placed {
  return ["daemonsets.apps", { ...workload("DaemonSet", place, name), spec: podsOf(name, {}) }];
}

/** Every minute, so that something comes and goes. */
export function cronJob(place: string, name: string): Placed {
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

export function roleBinding(name: string, group: string, role: string): Placed {
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
