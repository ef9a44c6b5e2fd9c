import type { ObjectFacts } from "../model/object-facts.ts";
import { edge, factsOf, ref } from "./facts-of.ts";

const podsPerWorkload = 5;
const workloadsPerNamespace = 50;
const podsPerNode = 50;

/**
 * What a cluster of so many pods says, as clusters of people are: Deployments with a Service, two containers and three
 * volumes in each pod, and the ConfigMaps, Secrets, claims, ServiceAccounts and nodes that they use.
 */
export function* sampleCluster(pods: number): Generator<ObjectFacts> {
  const workloads = Math.ceil(pods / podsPerWorkload);
  for (let node = 0; node < Math.ceil(pods / podsPerNode); node += 1) {
    yield named(`Node//node-${node}`, { internalIp: `10.0.${node >> 8}.${node & 255}` });
  }
  for (let namespace = 0; namespace < Math.ceil(workloads / workloadsPerNamespace); namespace += 1) {
    yield named(`Namespace//team-${namespace}`);
    yield named(`ServiceAccount/team-${namespace}/default`);
    yield named(`ConfigMap/team-${namespace}/kube-root-ca.crt`);
  }
  for (let workload = 0; workload < workloads; workload += 1) yield* workloadFacts(workload);
  for (let pod = 0; pod < pods; pod += 1) yield podFacts(pod);
}

function* workloadFacts(workload: number): Generator<ObjectFacts> {
  const { namespace, name, set, labels } = workloadNames(workload);
  yield named(`Deployment/${namespace}/${name}`, { replicas: podsPerWorkload, labels: { app: name } });
  yield {
    ...named(`ReplicaSet/${namespace}/${set}`, { replicas: podsPerWorkload, labels }),
    edges: [edge("OWNS", [`Deployment/${namespace}/${name}`, 0], "/metadata/ownerReferences/0")],
  };
  yield {
    ...named(`Service/${namespace}/${name}`, { type: "ClusterIP", labels: { app: name } }),
    selections: [
      {
        type: "SELECTS",
        kind: "Pod",
        namespace,
        at: "/spec/selector",
        selector: { matchLabels: { app: name } },
      },
    ],
  };
  yield {
    ...named(`Ingress/${namespace}/${name}`),
    edges: [
      edge("ROUTES_TO", [0, `Service/${namespace}/${name}`], "/spec/rules/0/http/paths/0/backend/service", {
        host: `${name}.shop.example`,
      }),
      edge("USES_SECRET", [0, `Secret/${namespace}/${name}-tls`], "/spec/tls/0/secretName"),
    ],
  };
  for (const key of ["Secret", "ConfigMap", "ServiceAccount", "PersistentVolumeClaim"]) {
    yield named(`${key}/${namespace}/${name}`, { labels: { app: name } });
  }
  yield named(`Secret/${namespace}/${name}-tls`, { type: "kubernetes.io/tls" });
}

/** A pod with two containers and three volumes, as the projection of a real one. */
export function podFacts(pod: number): ObjectFacts {
  const { namespace, name: app, set, labels } = workloadNames(Math.floor(pod / podsPerWorkload));
  const name = `${set}-${suffix(pod)}`;
  const container = (
    part: string,
  ): { node: ReturnType<typeof ref>; properties: Record<string, string | string[]> } => ({
    node: ref(`Container/${namespace}/${name}/containers/${part}`),
    properties: { ports: ["8080/TCP", "9090/TCP"], env: ["LOG_LEVEL", "DB_HOST", "DB_PASSWORD", "POD_NAME"] },
  });
  const volume = (
    part: string,
    type: string,
  ): { node: ReturnType<typeof ref>; properties: { type: string } } => ({
    node: ref(`Volume/${namespace}/${name}/${part}`),
    properties: { type },
  });
  const image = (index: number, repository: string): ReturnType<typeof edge> =>
    edge(
      "RUNS_IMAGE",
      [index + 1, `ContainerImage//${digest(repository)}`],
      `/spec/containers/${index}/image`,
      {
        reference: `registry.example/${repository}:1.4.2`,
        registry: "registry.example",
        repository,
        tag: "1.4.2",
      },
    );
  const mount = (index: number, part: number, mountPath: string): ReturnType<typeof edge> =>
    edge("USES_VOLUME", [index + 1, part], `/spec/containers/${index}/volumeMounts/${part - 3}`, {
      mountPath,
      readOnly: true,
    });
  return {
    ...factsOf(`Pod/${namespace}/${name}`, { uid: uidOf("c0de", pod) }),
    properties: {
      createdAt: "2026-11-16T13:00:00Z",
      phase: "Running",
      qosClass: "Burstable",
      serviceAccount: app,
      ip: `10.${1 + (pod >> 16)}.${(pod >> 8) & 255}.${pod & 255}`,
      nodeName: nodeOf(pod),
      labels,
    },
    parts: [
      container("app"),
      container("proxy"),
      volume("config", "configMap"),
      volume("data", "persistentVolumeClaim"),
      volume("token", "projected"),
    ],
    edges: [
      edge("OWNS", [`ReplicaSet/${namespace}/${set}`, 0], "/metadata/ownerReferences/0", {
        controller: true,
      }),
      edge("RUNS_ON", [0, `Node//${nodeOf(pod)}`], "/spec/nodeName"),
      edge("RUNS_AS", [0, `ServiceAccount/${namespace}/${app}`], "/spec/serviceAccountName"),
      edge("USES_SECRET", [0, `Secret/${namespace}/registry`], "/spec/imagePullSecrets/0"),
      edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
      edge("HAS_CONTAINER", [0, 2], "/spec/containers/1"),
      ...[3, 4, 5].map((part) => edge("USES_VOLUME", [0, part], `/spec/volumes/${part - 3}`)),
      image(0, `team/${app}`),
      image(1, "mesh/proxy"),
      mount(0, 3, "/etc/app"),
      mount(0, 4, "/data"),
      mount(0, 5, "/var/run/secrets/token"),
      mount(1, 3, "/etc/proxy"),
      mount(1, 5, "/var/run/secrets/token"),
      edge("USES_CONFIGMAP", [3, `ConfigMap/${namespace}/${app}`], "/spec/volumes/0/configMap"),
      edge(
        "BACKED_BY",
        [4, `PersistentVolumeClaim/${namespace}/${app}`],
        "/spec/volumes/1/persistentVolumeClaim",
      ),
      edge(
        "USES_CONFIGMAP",
        [5, `ConfigMap/${namespace}/kube-root-ca.crt`],
        "/spec/volumes/2/projected/sources/1",
      ),
      edge(
        "USES_SECRET",
        [1, `Secret/${namespace}/${app}`],
        "/spec/containers/0/env/2/valueFrom/secretKeyRef",
        {
          key: "password",
          variable: "DB_PASSWORD",
        },
      ),
      edge(
        "USES_CONFIGMAP",
        [1, `ConfigMap/${namespace}/${app}`],
        "/spec/containers/0/envFrom/0/configMapRef",
      ),
    ],
  };
}

function named(key: string, properties: ObjectFacts["properties"] = {}): ObjectFacts {
  return factsOf(key, { properties: { createdAt: "2026-11-01T09:00:00Z", ...properties } });
}

function workloadNames(workload: number): {
  readonly namespace: string;
  readonly name: string;
  readonly set: string;
  readonly labels: Readonly<Record<string, string>>;
} {
  const name = `service-${workload}`;
  const hash = suffix(workload * 7919).padStart(10, "x");
  const labels = {
    app: name,
    "app.kubernetes.io/managed-by": "Helm",
    "app.kubernetes.io/part-of": "shop",
    "pod-template-hash": hash,
    tier: "backend",
  };
  return {
    namespace: `team-${Math.floor(workload / workloadsPerNamespace)}`,
    name,
    set: `${name}-${hash}`,
    labels,
  };
}

function nodeOf(pod: number): string {
  return `node-${Math.floor(pod / podsPerNode)}`;
}

function suffix(number: number): string {
  return number.toString(36).padStart(5, "0");
}

function uidOf(start: string, number: number): string {
  return `${start}0000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

function digest(repository: string): string {
  return `sha256:${Buffer.from(repository).toString("hex").padEnd(64, "0").slice(0, 64)}`;
}
