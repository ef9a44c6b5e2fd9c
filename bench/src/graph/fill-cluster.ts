import { setImmediate as nextTurn } from "node:timers/promises";

import { asRecord } from "@bowline/core";
import type { Kubesim, NewObject, SimObject } from "@bowline/kubesim";

import { benchPod, type BenchPod } from "../pods.ts";

type Api = Kubesim["api"];

/** The objects around the pods of one application. */
interface App {
  readonly namespace: string;
  readonly name: string;
  readonly deployment: SimObject;
  readonly pods: string[];
}

const podsPerReplicaSet = 5;

/**
 * Fills a simulated cluster with pods and with what surrounds them in a busy one: nodes, namespaces, and for each
 * application a Deployment with its ReplicaSets, ServiceAccount, ConfigMap, two Secrets, Service, EndpointSlice,
 * Ingress, claim, Role and RoleBinding. Resolves to how many objects there are.
 */
export async function fillCluster(api: Api, pods: number): Promise<number> {
  const filling = new Filling(api);
  for (let index = 0; index < pods; index += podsPerReplicaSet) {
    filling.addReplicaSet(index, Math.min(podsPerReplicaSet, pods - index));
    if (index % 500 === 0) await nextTurn();
  }
  filling.finish();
  return filling.count;
}

class Filling {
  count = 0;
  readonly #api: Api;
  readonly #apps = new Map<string, App>();
  readonly #nodes = new Set<string>();
  readonly #namespaces = new Set<string>();

  constructor(api: Api) {
    this.#api = api;
  }

  addReplicaSet(index: number, size: number): void {
    const first = benchPod(index);
    const app = this.#appOf(first);
    const [owner] = ownersOf(first);
    const { selector, template } = asRecord(app.deployment["spec"]);
    const replicaSet = this.#create("replicasets.apps", {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: owner?.name ?? `${app.name}-${index}`,
        namespace: app.namespace,
        ownerReferences: [ownerOf(app.deployment)],
      },
      spec: { replicas: size, selector, template },
    });
    for (let count = 0; count < size; count++) this.#addPod(benchPod(index + count), app, replicaSet);
  }

  finish(): void {
    for (const app of this.#apps.values()) this.#addEndpoints(app);
  }

  #addPod({ metadata, spec, status, ...pod }: BenchPod, app: App, replicaSet: SimObject): void {
    const node = String(spec["nodeName"]);
    if (!this.#nodes.has(node)) {
      this.#nodes.add(node);
      this.#create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: node }, spec: {} });
    }
    const { name, namespace, managedFields } = metadata;
    const kept = { name, namespace, ...(Array.isArray(managedFields) ? { managedFields } : {}) };
    this.#create("pods", {
      ...pod,
      metadata: { ...kept, labels: podLabels(app.name), ownerReferences: [ownerOf(replicaSet)] },
      spec: podSpec(spec, app.name),
      status,
    });
    app.pods.push(name);
  }

  #appOf(pod: BenchPod): App {
    const { namespace } = pod.metadata;
    const name = String(pod.spec["serviceAccountName"]);
    const known = this.#apps.get(`${namespace}/${name}`);
    if (known !== undefined) return known;
    if (!this.#namespaces.has(namespace)) {
      this.#namespaces.add(namespace);
      this.#create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    }
    const app = { namespace, name, deployment: this.#addDeployment(pod, name), pods: [] };
    for (const [resource, object] of surroundings(namespace, name)) this.#create(resource, object);
    this.#apps.set(`${namespace}/${name}`, app);
    return app;
  }

  #addDeployment({ metadata: { namespace }, spec }: BenchPod, name: string): SimObject {
    const labels = podLabels(name);
    return this.#create("deployments.apps", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(spec, name) },
      },
    });
  }

  #addEndpoints({ namespace, name, pods }: App): void {
    const endpoints = pods.slice(0, 1_000).map((pod, index) => ({
      addresses: [`10.0.${index >> 8}.${index & 255}`],
      conditions: { ready: true },
      targetRef: { kind: "Pod", namespace, name: pod },
    }));
    this.#create("endpointslices.discovery.k8s.io", {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-abcde`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints,
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
  }

  #create(resource: string, object: NewObject): SimObject {
    this.count += 1;
    return this.#api.create(resource, object);
  }
}

function surroundings(namespace: string, name: string): (readonly [resource: string, NewObject])[] {
  const at = (suffix = ""): { name: string; namespace: string } => ({ name: `${name}${suffix}`, namespace });
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const backend = { service: { name, port: { number: 80 } } };
  const paths = [{ path: "/", pathType: "Prefix", backend }];
  return [
    ["serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: at() }],
    ["configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: at("-config"), data: { region: "eu" } }],
    ["secrets", { apiVersion: "v1", kind: "Secret", metadata: at("-db"), data: { password: "czNjcjN0" } }],
    ["secrets", { apiVersion: "v1", kind: "Secret", metadata: at("-registry"), data: {} }],
    [
      "persistentvolumeclaims",
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: at("-data"),
        spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    [
      "services",
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: at(),
        spec: { selector: podLabels(name), ports: [{ port: 80, targetPort: 8080 }] },
      },
    ],
    [
      "ingresses.networking.k8s.io",
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: at(),
        spec: { rules: [{ host: `${name}.example.com`, http: { paths } }] },
      },
    ],
    [
      "roles.rbac.authorization.k8s.io",
      {
        ...rbac,
        kind: "Role",
        metadata: at(),
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "watch"] }],
      },
    ],
    [
      "rolebindings.rbac.authorization.k8s.io",
      {
        ...rbac,
        kind: "RoleBinding",
        metadata: at(),
        roleRef,
        subjects: [{ kind: "ServiceAccount", name, namespace }],
      },
    ],
  ];
}

/** With references of each kind, which the pods of the other benchmarks do without. */
function podSpec(spec: BenchPod["spec"], app: string): Record<string, unknown> {
  const { containers, volumes } = spec;
  const [first, ...others] = Array.isArray(containers) ? containers : [];
  const data = { name: "data", persistentVolumeClaim: { claimName: `${app}-data` } };
  return {
    ...spec,
    containers: [{ ...first, envFrom: [{ secretRef: { name: `${app}-db` } }] }, ...others],
    volumes: [...(Array.isArray(volumes) ? volumes : []), data],
    imagePullSecrets: [{ name: `${app}-registry` }],
  };
}

function podLabels(app: string): Record<string, string> {
  return { "app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "webshop" };
}

function ownersOf({ metadata }: BenchPod): readonly { readonly name: string }[] {
  const owners = metadata["ownerReferences"];
  return Array.isArray(owners) ? owners : [];
}

function ownerOf({ apiVersion, kind, metadata: { name, uid } }: SimObject) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
