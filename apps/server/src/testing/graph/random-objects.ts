import type { Random } from "@bowline/core";

/** Chooses among few names, so that things refer to each other, go and come back. */
export class Choice {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True so often. */
  chance(share: number): boolean {
    return this.#random() < share;
  }

  upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  oneOf<T>(first: T, ...others: readonly T[]): T {
    return others[this.upTo(others.length) - 1] ?? first;
  }

  name(): string {
    return this.oneOf("web", "db", "cart", "mail");
  }

  /** Never the same twice: no state comes back, so that a change that was missed shows. */
  fresh(): string {
    this.#count += 1;
    return `n${this.#count}`;
  }

  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.upTo(most) }, make);
  }
}

interface RandomKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Of pods that a controller makes. */
  readonly hasTemplate: boolean;
  /** How often it is chosen, compared with others. */
  readonly weight: number;
  /** The rest beside its metadata, of an object with this name. */
  readonly body: (choice: Choice, name: string) => Record<string, unknown>;
}

const outsideNamespaces: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "Namespace",
  "Node",
  "PersistentVolume",
]);

function kind(apiVersion: string, name: string, weight: number, body: RandomKind["body"]): RandomKind {
  const namespaced = !outsideNamespaces.has(name);
  const hasTemplate = apiVersion === "apps/v1" || name === "CronJob";
  return { apiVersion, kind: name, namespaced, hasTemplate, weight, body };
}

const rbacGroup = "rbac.authorization.k8s.io";
const rbac = `${rbacGroup}/v1`;
const subjects = (choice: Choice): object[] =>
  choice.some(3, () =>
    choice.oneOf<object>(
      { kind: "ServiceAccount", namespace: choice.oneOf("shop", "pay"), name: choice.name() },
      { kind: "User", apiGroup: rbacGroup, name: `user-${choice.name()}` },
      { kind: "Group", apiGroup: rbacGroup, name: `group-${choice.name()}` },
    ),
  );
const rules = (choice: Choice): object[] =>
  choice.some(3, () => ({
    verbs: [choice.oneOf("get", "list", "*")],
    apiGroups: [choice.oneOf("", "apps")],
    resources: [choice.oneOf("pods", "secrets", "deployments")],
    ...(choice.chance(0.3) ? { resourceNames: [choice.fresh()] } : {}),
  }));
const selector = (choice: Choice): object => ({ matchLabels: { app: choice.name() } });

/** By resource, as the cluster's store knows it. All kinds of which the graph is made, and one that is configured. */
export const randomKinds: Readonly<Record<string, RandomKind>> = {
  namespaces: kind("v1", "Namespace", 1, () => ({})),
  nodes: kind("v1", "Node", 1, (choice) => ({ spec: { providerID: choice.fresh(), unschedulable: true } })),
  configmaps: kind("v1", "ConfigMap", 3, (choice) => ({ data: { key: choice.fresh() } })),
  secrets: kind("v1", "Secret", 3, (choice) => ({
    data: { key: Buffer.from(choice.fresh()).toString("base64") },
  })),
  serviceaccounts: kind("v1", "ServiceAccount", 3, (choice) => ({
    automountServiceAccountToken: choice.chance(0.5),
    imagePullSecrets: choice.some(2, () => ({ name: choice.name() })),
  })),
  pods: kind("v1", "Pod", 10, (choice) => ({ spec: podSpec(choice) })),
  services: kind("v1", "Service", 4, (choice) => ({
    spec: { selector: { app: choice.name() }, ports: [{ port: 80 + choice.upTo(900) }] },
  })),
  "endpointslices.discovery.k8s.io": kind("discovery.k8s.io/v1", "EndpointSlice", 3, (choice) => ({
    addressType: "IPv4",
    endpoints: choice.some(3, () => ({
      addresses: [`10.1.${choice.upTo(250)}.${choice.upTo(250)}`],
      targetRef: { kind: "Pod", namespace: "shop", name: choice.name() },
    })),
    ports: [{ port: 80 }],
  })),
  "ingresses.networking.k8s.io": kind("networking.k8s.io/v1", "Ingress", 3, (choice) => ({
    spec: {
      tls: choice.some(2, () => ({ hosts: ["shop.example"], secretName: choice.name() })),
      defaultBackend: { service: { name: choice.name(), port: { number: 80 } } },
    },
  })),
  "networkpolicies.networking.k8s.io": kind("networking.k8s.io/v1", "NetworkPolicy", 2, (choice) => ({
    spec: { podSelector: selector(choice), policyTypes: [choice.oneOf("Ingress", "Egress")] },
  })),
  persistentvolumeclaims: kind("v1", "PersistentVolumeClaim", 2, (choice) => ({
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: `${1 + choice.upTo(9)}Gi` } },
      volumeName: choice.name(),
    },
  })),
  persistentvolumes: kind("v1", "PersistentVolume", 2, (choice) => ({
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: `${1 + choice.upTo(9)}Gi` },
      claimRef: { namespace: "shop", name: choice.name() },
      csi: { driver: "csi.example", volumeHandle: choice.fresh() },
    },
  })),
  "deployments.apps": kind("apps/v1", "Deployment", 4, (choice, name) => ({ spec: workload(choice, name) })),
  "replicasets.apps": kind("apps/v1", "ReplicaSet", 1, (choice, name) => ({
    spec: workload(choice, `plain-${name}`),
  })),
  "statefulsets.apps": kind("apps/v1", "StatefulSet", 2, (choice, name) => ({
    spec: { ...workload(choice, `set-${name}`), serviceName: choice.name() },
  })),
  "daemonsets.apps": kind("apps/v1", "DaemonSet", 1, (choice, name) => {
    const { replicas: _, ...spec } = workload(choice, `daemon-${name}`);
    return { spec };
  }),
  "jobs.batch": kind("batch/v1", "Job", 2, (choice) => ({ spec: { template: finiteTemplate(choice) } })),
  "cronjobs.batch": kind("batch/v1", "CronJob", 1, (choice) => ({
    spec: {
      // Not while anybody looks.
      schedule: `0 0 ${1 + choice.upTo(27)} 2 *`,
      jobTemplate: { spec: { template: finiteTemplate(choice) } },
    },
  })),
  [`roles.${rbacGroup}`]: kind(rbac, "Role", 2, (choice) => ({ rules: rules(choice) })),
  [`clusterroles.${rbacGroup}`]: kind(rbac, "ClusterRole", 2, (choice) => ({ rules: rules(choice) })),
  [`rolebindings.${rbacGroup}`]: kind(rbac, "RoleBinding", 3, (choice) => ({
    subjects: subjects(choice),
    roleRef: {
      apiGroup: rbacGroup,
      kind: choice.oneOf("Role", "ClusterRole"),
      name: choice.name(),
    },
  })),
  [`clusterrolebindings.${rbacGroup}`]: kind(rbac, "ClusterRoleBinding", 2, (choice) => ({
    subjects: subjects(choice),
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: choice.name() },
  })),
  "httproutes.gateway.networking.k8s.io": kind("gateway.networking.k8s.io/v1", "HTTPRoute", 2, (choice) => ({
    spec: {
      parentRefs: [{ name: choice.name() }],
      rules: choice.some(2, () => ({ backendRefs: [{ name: choice.name(), port: 80 }] })),
    },
  })),
  "widgets.example.com": kind("example.com/v1", "Widget", 2, (choice) => ({
    spec: { size: choice.fresh() },
  })),
};

/** Each with pods of its own: two that take each other's away never come to rest. */
function workload(choice: Choice, name: string): { replicas: number; selector: object; template: object } {
  const own = { own: name };
  return {
    replicas: choice.upTo(2),
    selector: { matchLabels: own },
    template: { metadata: { labels: { ...own, app: choice.name() } }, spec: podSpec(choice) },
  };
}

function finiteTemplate(choice: Choice): object {
  return {
    metadata: { labels: { app: choice.name() } },
    spec: { ...podSpec(choice), restartPolicy: "Never" },
  };
}

export function randomImage(choice: Choice): string {
  return `example.test/${choice.name()}:${choice.upTo(5)}`;
}

/** Every way in which a pod refers to something. */
function podSpec(choice: Choice): object {
  const name = (): { name: string; optional: boolean } => ({
    name: choice.name(),
    optional: choice.chance(0.8),
  });
  const volumes = choice.some(3, () => ({
    name: choice.fresh(),
    ...choice.oneOf<object>(
      { secret: { secretName: choice.name(), optional: true } },
      { configMap: name() },
      { persistentVolumeClaim: { claimName: choice.name() } },
      { emptyDir: {} },
      { projected: { sources: [{ secret: name() }, { configMap: name() }] } },
    ),
  }));
  const container = (): object => ({
    name: choice.fresh(),
    image: randomImage(choice),
    env: choice.some(3, () => ({
      name: choice.fresh().toUpperCase(),
      valueFrom: choice.oneOf<object>(
        { secretKeyRef: { ...name(), key: "key" } },
        { configMapKeyRef: { ...name(), key: "key" } },
      ),
    })),
    envFrom: choice.some(1, () => choice.oneOf<object>({ secretRef: name() }, { configMapRef: name() })),
    volumeMounts: volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
    ...(choice.chance(0.1) ? { securityContext: { privileged: true } } : {}),
  });
  return {
    serviceAccountName: choice.oneOf("default", choice.name()),
    containers: [container(), ...choice.some(1, container)],
    initContainers: choice.chance(0.2) ? [container()] : [],
    imagePullSecrets: choice.some(1, () => ({ name: choice.name() })),
    volumes,
  };
}
