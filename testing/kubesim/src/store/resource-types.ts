import {
  apiVersionOf,
  parseApiVersion,
  tableKey,
  type ResourceType,
  type ScalePaths,
} from "./resource-type.ts";

/** What differs from a plain namespaced object of one version that everything may be done to. */
interface Traits {
  /** Singular name, where it is not the kind in lower case. */
  readonly short?: readonly string[];
  /** Listed by `kubectl get all`. */
  readonly all?: boolean;
  readonly cluster?: boolean;
  readonly status?: boolean;
  readonly scale?: ScalePaths;
  readonly sub?: readonly string[];
  readonly generation?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly needsVersion?: boolean;
  readonly returnsDeleted?: boolean;
  readonly freeNames?: boolean;
  readonly virtual?: boolean;
  readonly extensions?: boolean;
}

/** `batch/v1>=21` is served from Kubernetes 1.21 on, `batch/v1beta1<25` until 1.24. The storage version comes first. */
type Places = string;
type Line = readonly [places: Places, resource: string, kind: string, traits?: Traits];

const workloadScale: ScalePaths = {
  specReplicas: "spec.replicas",
  statusReplicas: "status.replicas",
  selector: "spec.selector",
};
const rbac: Traits = { createsOnUpdate: true, freeNames: true };
const review: Traits = { cluster: true, virtual: true };

const lines: readonly Line[] = [
  ["v1", "bindings", "Binding", { virtual: true }],
  ["v1", "configmaps", "ConfigMap", { short: ["cm"] }],
  ["v1", "endpoints", "Endpoints", { short: ["ep"], createsOnUpdate: true }],
  ["v1 events.k8s.io/v1", "events", "Event", { short: ["ev"], createsOnUpdate: true }],
  ["v1", "limitranges", "LimitRange", { short: ["limits"], createsOnUpdate: true }],
  [
    "v1",
    "namespaces",
    "Namespace",
    { short: ["ns"], cluster: true, status: true, sub: ["finalize"], returnsDeleted: true },
  ],
  ["v1", "nodes", "Node", { short: ["no"], cluster: true, status: true }],
  [
    "v1",
    "persistentvolumeclaims",
    "PersistentVolumeClaim",
    { short: ["pvc"], status: true, returnsDeleted: true },
  ],
  [
    "v1",
    "persistentvolumes",
    "PersistentVolume",
    { short: ["pv"], cluster: true, status: true, returnsDeleted: true },
  ],
  [
    "v1",
    "pods",
    "Pod",
    { short: ["po"], all: true, status: true, sub: ["binding", "eviction", "log"], returnsDeleted: true },
  ],
  [
    "v1",
    "replicationcontrollers",
    "ReplicationController",
    { short: ["rc"], all: true, status: true, scale: workloadScale, generation: true },
  ],
  ["v1", "resourcequotas", "ResourceQuota", { short: ["quota"], status: true, returnsDeleted: true }],
  ["v1", "secrets", "Secret"],
  ["v1", "serviceaccounts", "ServiceAccount", { short: ["sa"], sub: ["token"], returnsDeleted: true }],
  [
    "v1",
    "services",
    "Service",
    { short: ["svc"], all: true, status: true, createsOnUpdate: true, returnsDeleted: true },
  ],
  ["apps/v1", "controllerrevisions", "ControllerRevision"],
  ["apps/v1", "daemonsets", "DaemonSet", { short: ["ds"], all: true, status: true, generation: true }],
  [
    "apps/v1",
    "deployments",
    "Deployment",
    { short: ["deploy"], all: true, status: true, scale: workloadScale, generation: true },
  ],
  [
    "apps/v1",
    "replicasets",
    "ReplicaSet",
    { short: ["rs"], all: true, status: true, scale: workloadScale, generation: true },
  ],
  [
    "apps/v1",
    "statefulsets",
    "StatefulSet",
    { short: ["sts"], all: true, status: true, scale: workloadScale, generation: true },
  ],
  ["batch/v1", "jobs", "Job", { all: true, status: true, generation: true }],
  [
    "batch/v1>=21 batch/v1beta1<25",
    "cronjobs",
    "CronJob",
    { short: ["cj"], all: true, status: true, generation: true },
  ],
  [
    "autoscaling/v2>=23 autoscaling/v1 autoscaling/v2beta2<26",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    { short: ["hpa"], all: true, status: true },
  ],
  ["networking.k8s.io/v1", "ingressclasses", "IngressClass", { cluster: true, generation: true }],
  ["networking.k8s.io/v1", "ingresses", "Ingress", { short: ["ing"], status: true, generation: true }],
  ["networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", { short: ["netpol"], generation: true }],
  [
    "policy/v1>=21 policy/v1beta1<25",
    "poddisruptionbudgets",
    "PodDisruptionBudget",
    { short: ["pdb"], status: true, generation: true, needsVersion: true },
  ],
  ["rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", { ...rbac, cluster: true }],
  ["rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", { ...rbac, cluster: true }],
  ["rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", rbac],
  ["rbac.authorization.k8s.io/v1", "roles", "Role", rbac],
  ["coordination.k8s.io/v1", "leases", "Lease", { createsOnUpdate: true, needsVersion: true }],
  [
    "discovery.k8s.io/v1>=21 discovery.k8s.io/v1beta1<25",
    "endpointslices",
    "EndpointSlice",
    { generation: true },
  ],
  [
    "storage.k8s.io/v1",
    "storageclasses",
    "StorageClass",
    { short: ["sc"], cluster: true, returnsDeleted: true },
  ],
  [
    "scheduling.k8s.io/v1",
    "priorityclasses",
    "PriorityClass",
    { short: ["pc"], cluster: true, generation: true },
  ],
  [
    "apiextensions.k8s.io/v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    {
      short: ["crd", "crds"],
      cluster: true,
      status: true,
      generation: true,
      needsVersion: true,
      extensions: true,
    },
  ],
  ["authentication.k8s.io/v1", "tokenreviews", "TokenReview", review],
  ["authentication.k8s.io/v1>=28", "selfsubjectreviews", "SelfSubjectReview", review],
  ["authorization.k8s.io/v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", { virtual: true }],
  ["authorization.k8s.io/v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", review],
  ["authorization.k8s.io/v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", review],
  ["authorization.k8s.io/v1", "subjectaccessreviews", "SubjectAccessReview", review],
];

/** The kinds that a server of the given minor version has built in. */
export function builtinResourceTypes(minorVersion: number): ResourceType[] {
  return lines.flatMap((line) => {
    const type = resourceTypeOf(line, minorVersion);
    return type ? [type] : [];
  });
}

function resourceTypeOf(
  [places, resource, kind, traits = {}]: Line,
  minorVersion: number,
): ResourceType | undefined {
  const served = servedPlaces(places, minorVersion).map((place) => parseApiVersion(place));
  const [storage] = served;
  if (!storage) return undefined;
  return {
    key: tableKey(storage.group, resource),
    group: storage.group,
    version: storage.version,
    served,
    resource,
    kind,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames: traits.short ?? [],
    categories: traits.all ? ["all"] : traits.extensions ? ["api-extensions"] : [],
    namespaced: traits.cluster !== true,
    hasStatus: traits.status === true,
    ...(traits.scale ? { scale: traits.scale } : {}),
    subresources: traits.sub ?? [],
    countsGeneration: traits.generation === true,
    createsOnUpdate: traits.createsOnUpdate === true,
    updatesUnconditionally: traits.needsVersion !== true,
    returnsDeleted: traits.returnsDeleted === true,
    freeNames: traits.freeNames === true,
    virtual: traits.virtual === true,
  };
}

function servedPlaces(places: Places, minorVersion: number): string[] {
  return places.split(" ").flatMap((place) => {
    const match = /^([^<>]+)(?:(>=|<)(\d+))?$/.exec(place);
    if (!match?.[1]) return [];
    const bound = Number(match[3]);
    const offered =
      match[2] === ">=" ? minorVersion >= bound : match[2] === "<" ? minorVersion < bound : true;
    return offered ? [match[1]] : [];
  });
}

/** The `apiVersion` objects of a type are kept with. */
export function storageApiVersion(type: ResourceType): string {
  return apiVersionOf(type);
}
