import type { ResourceRef } from "../object.ts";

function inGroup(group: string, version: string) {
  const resource =
    (namespaced: boolean) =>
    (plural: string, kind: string): ResourceRef =>
      Object.freeze({ group, version, plural, kind, namespaced });
  return { namespaced: resource(true), cluster: resource(false) };
}

const core = inGroup("", "v1");
const apps = inGroup("apps", "v1");
const batch = inGroup("batch", "v1");
const rbac = inGroup("rbac.authorization.k8s.io", "v1");
const networking = inGroup("networking.k8s.io", "v1");
const authorization = inGroup("authorization.k8s.io", "v1");

/**
 * The kinds Bowline itself talks about, so that naming them needs no round trip. The versions are those of current
 * Kubernetes; `cronJobs` and `podDisruptionBudgets` are served as v1 since 1.21: on older servers ask discovery.
 */
export const resources = {
  namespaces: core.cluster("namespaces", "Namespace"),
  nodes: core.cluster("nodes", "Node"),
  persistentVolumes: core.cluster("persistentvolumes", "PersistentVolume"),
  configMaps: core.namespaced("configmaps", "ConfigMap"),
  endpoints: core.namespaced("endpoints", "Endpoints"),
  coreEvents: core.namespaced("events", "Event"),
  persistentVolumeClaims: core.namespaced("persistentvolumeclaims", "PersistentVolumeClaim"),
  pods: core.namespaced("pods", "Pod"),
  replicationControllers: core.namespaced("replicationcontrollers", "ReplicationController"),
  resourceQuotas: core.namespaced("resourcequotas", "ResourceQuota"),
  secrets: core.namespaced("secrets", "Secret"),
  serviceAccounts: core.namespaced("serviceaccounts", "ServiceAccount"),
  services: core.namespaced("services", "Service"),
  daemonSets: apps.namespaced("daemonsets", "DaemonSet"),
  deployments: apps.namespaced("deployments", "Deployment"),
  replicaSets: apps.namespaced("replicasets", "ReplicaSet"),
  statefulSets: apps.namespaced("statefulsets", "StatefulSet"),
  cronJobs: batch.namespaced("cronjobs", "CronJob"),
  jobs: batch.namespaced("jobs", "Job"),
  ingresses: networking.namespaced("ingresses", "Ingress"),
  ingressClasses: networking.cluster("ingressclasses", "IngressClass"),
  networkPolicies: networking.namespaced("networkpolicies", "NetworkPolicy"),
  clusterRoleBindings: rbac.cluster("clusterrolebindings", "ClusterRoleBinding"),
  clusterRoles: rbac.cluster("clusterroles", "ClusterRole"),
  roleBindings: rbac.namespaced("rolebindings", "RoleBinding"),
  roles: rbac.namespaced("roles", "Role"),
  selfSubjectAccessReviews: authorization.cluster("selfsubjectaccessreviews", "SelfSubjectAccessReview"),
  subjectAccessReviews: authorization.cluster("subjectaccessreviews", "SubjectAccessReview"),
  customResourceDefinitions: inGroup("apiextensions.k8s.io", "v1").cluster(
    "customresourcedefinitions",
    "CustomResourceDefinition",
  ),
  endpointSlices: inGroup("discovery.k8s.io", "v1").namespaced("endpointslices", "EndpointSlice"),
  events: inGroup("events.k8s.io", "v1").namespaced("events", "Event"),
  leases: inGroup("coordination.k8s.io", "v1").namespaced("leases", "Lease"),
  podDisruptionBudgets: inGroup("policy", "v1").namespaced("poddisruptionbudgets", "PodDisruptionBudget"),
  storageClasses: inGroup("storage.k8s.io", "v1").cluster("storageclasses", "StorageClass"),
} as const;
