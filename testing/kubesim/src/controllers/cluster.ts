import type { SimApi } from "../store/sim-api.ts";
import type { CronJob, Job } from "./kinds/batch.ts";
import type { Endpoints, EndpointSlice, Service } from "./kinds/network.ts";
import type { Lease, Node } from "./kinds/node.ts";
import type { Pod } from "./kinds/pod.ts";
import type { PodDisruptionBudget } from "./kinds/policy.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "./kinds/storage.ts";
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "./kinds/workloads.ts";
import { Resource, type Index } from "./loop/resource.ts";
import { ownerKeys } from "./owner-references.ts";

/** Every kind the controllers work with, and the indexes they share. */
export interface Cluster {
  readonly pods: Resource<Pod>;
  /** By the uid of the controller, or `orphanKey(namespace)`. */
  readonly podsByOwner: Index<Pod>;
  readonly podsByNode: Index<Pod>;
  /** By `namespace/key=value` for every label. */
  readonly podsByLabel: Index<Pod>;
  readonly nodes: Resource<Node>;
  readonly leases: Resource<Lease>;
  readonly deployments: Resource<Deployment>;
  readonly replicaSets: Resource<ReplicaSet>;
  readonly replicaSetsByOwner: Index<ReplicaSet>;
  readonly statefulSets: Resource<StatefulSet>;
  readonly daemonSets: Resource<DaemonSet>;
  readonly controllerRevisions: Resource<ControllerRevision>;
  readonly controllerRevisionsByOwner: Index<ControllerRevision>;
  readonly jobs: Resource<Job>;
  readonly jobsByOwner: Index<Job>;
  readonly cronJobs: Resource<CronJob>;
  readonly services: Resource<Service>;
  readonly endpoints: Resource<Endpoints>;
  readonly endpointSlices: Resource<EndpointSlice>;
  readonly disruptionBudgets: Resource<PodDisruptionBudget>;
  readonly claims: Resource<PersistentVolumeClaim>;
  readonly volumes: Resource<PersistentVolume>;
  readonly storageClasses: Resource<StorageClass>;
  close(): void;
}

export function openCluster(api: SimApi): Cluster {
  const pods = new Resource<Pod>(api, "pods");
  const replicaSets = new Resource<ReplicaSet>(api, "replicasets.apps");
  const controllerRevisions = new Resource<ControllerRevision>(api, "controllerrevisions.apps");
  const jobs = new Resource<Job>(api, "jobs.batch");
  const resources = {
    pods,
    replicaSets,
    controllerRevisions,
    jobs,
    nodes: new Resource<Node>(api, "nodes"),
    leases: new Resource<Lease>(api, "leases.coordination.k8s.io"),
    deployments: new Resource<Deployment>(api, "deployments.apps"),
    statefulSets: new Resource<StatefulSet>(api, "statefulsets.apps"),
    daemonSets: new Resource<DaemonSet>(api, "daemonsets.apps"),
    cronJobs: new Resource<CronJob>(api, "cronjobs.batch"),
    services: new Resource<Service>(api, "services"),
    endpoints: new Resource<Endpoints>(api, "endpoints"),
    endpointSlices: new Resource<EndpointSlice>(api, "endpointslices.discovery.k8s.io"),
    disruptionBudgets: new Resource<PodDisruptionBudget>(api, "poddisruptionbudgets.policy"),
    claims: new Resource<PersistentVolumeClaim>(api, "persistentvolumeclaims"),
    volumes: new Resource<PersistentVolume>(api, "persistentvolumes"),
    storageClasses: new Resource<StorageClass>(api, "storageclasses.storage.k8s.io"),
  };
  return {
    ...resources,
    podsByOwner: pods.index(ownerKeys),
    podsByNode: pods.index(nodeKeys),
    podsByLabel: pods.index(labelKeys),
    replicaSetsByOwner: replicaSets.index(ownerKeys),
    controllerRevisionsByOwner: controllerRevisions.index(ownerKeys),
    jobsByOwner: jobs.index(ownerKeys),
    close: () => {
      for (const resource of Object.values(resources)) resource.close();
    },
  };
}

export function nodeKeys(pod: Pod): readonly string[] {
  return pod.spec.nodeName === undefined ? [] : [pod.spec.nodeName];
}

export function labelKey(namespace: string | undefined, key: string, value: string): string {
  return `${namespace ?? ""}/${key}=${value}`;
}

function labelKeys(pod: Pod): readonly string[] {
  const { labels, namespace } = pod.metadata;
  return labels === undefined
    ? []
    : Object.entries(labels).map(([key, value]) => labelKey(namespace, key, value));
}
