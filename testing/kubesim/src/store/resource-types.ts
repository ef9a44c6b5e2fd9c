import { parseApiVersion, tableKey, type ResourceType, type ScalePaths } from "./resource-type.ts";

/**
 * Every built-in kind, one line each: where it is served, its resource, kind, short names (`-` for none) and traits.
 *
 * Places: the storage version comes first; `batch/v1>=21` is served from Kubernetes 1.21 on, `batch/v1beta1<25` until
 * 1.24. Traits: `all` (listed by `kubectl get all`), `cluster` (outside namespaces), `status` and `scale` (has that
 * subresource), `sub:` (further ones), `generation` (counts changes of the spec), `put-creates` (a PUT of a missing
 * object creates it), `put-needs-version` (a PUT must name a resourceVersion), `returns-deleted` (a finished DELETE
 * answers with the object), `free-names` (capitals and colons allowed), `delete-one` (no DELETE of all at once),
 * `virtual` (answered at once, never stored), `measured` (virtual, and only where there is something that measures). A trait may hold for some versions alone, as a place does.
 */
const table = `
v1                                      bindings                   Binding                   -       virtual
v1                                      configmaps                 ConfigMap                 cm
v1                                      endpoints                  Endpoints                 ep      put-creates
v1,events.k8s.io/v1                     events                     Event                     ev      put-creates
v1                                      limitranges                LimitRange                limits  put-creates
v1                                      namespaces                 Namespace                 ns      cluster status sub:finalize returns-deleted delete-one
v1                                      nodes                      Node                      no      cluster status
v1                                      persistentvolumeclaims     PersistentVolumeClaim     pvc     status returns-deleted
v1                                      persistentvolumes          PersistentVolume          pv      cluster status returns-deleted
v1                                      pods                       Pod                       po      all status sub:binding,eviction,exec,log returns-deleted
v1                                      replicationcontrollers     ReplicationController     rc      all status scale generation
v1                                      resourcequotas             ResourceQuota             quota   status returns-deleted
v1                                      secrets                    Secret                    -
v1                                      serviceaccounts            ServiceAccount            sa      sub:token returns-deleted
v1                                      services                   Service                   svc     all status sub:proxy put-creates returns-deleted delete-one<23
apps/v1                                 controllerrevisions        ControllerRevision        -
apps/v1                                 daemonsets                 DaemonSet                 ds      all status generation
apps/v1                                 deployments                Deployment                deploy  all status scale generation
apps/v1                                 replicasets                ReplicaSet                rs      all status scale generation
apps/v1                                 statefulsets               StatefulSet               sts     all status scale generation
batch/v1                                jobs                       Job                       -       all status generation>=23
batch/v1>=21,batch/v1beta1<25           cronjobs                   CronJob                   cj      all status generation>=21
autoscaling/v2>=23,autoscaling/v1       horizontalpodautoscalers   HorizontalPodAutoscaler   hpa     all status
networking.k8s.io/v1                    ingressclasses             IngressClass              -       cluster generation
networking.k8s.io/v1                    ingresses                  Ingress                   ing     status generation
networking.k8s.io/v1                    networkpolicies            NetworkPolicy             netpol  generation
policy/v1>=21,policy/v1beta1<25         poddisruptionbudgets       PodDisruptionBudget       pdb     status generation put-needs-version
rbac.authorization.k8s.io/v1            clusterrolebindings        ClusterRoleBinding        -       cluster put-creates free-names
rbac.authorization.k8s.io/v1            clusterroles               ClusterRole               -       cluster put-creates free-names
rbac.authorization.k8s.io/v1            rolebindings               RoleBinding               -       put-creates free-names
rbac.authorization.k8s.io/v1            roles                      Role                      -       put-creates free-names
coordination.k8s.io/v1                  leases                     Lease                     -       put-creates put-needs-version
discovery.k8s.io/v1>=21,discovery.k8s.io/v1beta1<25 endpointslices EndpointSlice             -       generation
storage.k8s.io/v1                       storageclasses             StorageClass              sc      cluster returns-deleted
scheduling.k8s.io/v1                    priorityclasses            PriorityClass             pc      cluster generation
apiextensions.k8s.io/v1                 customresourcedefinitions  CustomResourceDefinition  crd,crds cluster status generation put-needs-version
authentication.k8s.io/v1                tokenreviews               TokenReview               -       cluster virtual
authentication.k8s.io/v1>=28            selfsubjectreviews         SelfSubjectReview         -       cluster virtual
authorization.k8s.io/v1                 localsubjectaccessreviews  LocalSubjectAccessReview  -       virtual
authorization.k8s.io/v1                 selfsubjectaccessreviews   SelfSubjectAccessReview   -       cluster virtual
authorization.k8s.io/v1                 selfsubjectrulesreviews    SelfSubjectRulesReview    -       cluster virtual
authorization.k8s.io/v1                 subjectaccessreviews       SubjectAccessReview       -       cluster virtual
metrics.k8s.io/v1beta1                  nodes                      NodeMetrics               -       cluster virtual measured
metrics.k8s.io/v1beta1                  pods                       PodMetrics                -       virtual measured
`;

const workloadScale: ScalePaths = {
  specReplicas: "spec.replicas",
  statusReplicas: "status.replicas",
  selector: "spec.selector",
};

/** The kinds that a server of the given minor version has built in; with metrics, those of metrics-server too. */
export function builtinResourceTypes(minorVersion: number, hasMetrics = false): ResourceType[] {
  const lines = table.split("\n").filter((line) => line !== "");
  const types = lines.flatMap((line) => resourceTypeOf(line.split(/ +/), minorVersion) ?? []);
  return types.filter(({ measured }) => hasMetrics || !measured);
}

function resourceTypeOf(columns: readonly string[], minorVersion: number): ResourceType | undefined {
  const [places = "", resource = "", kind = "", shortNames = "-", ...words] = columns;
  const served = heldBy(places.split(","), minorVersion).map((place) => parseApiVersion(place));
  const [storage] = served;
  if (!storage) return undefined;
  const traits = new Set(heldBy(words, minorVersion));
  return {
    key: tableKey(storage.group, resource),
    group: storage.group,
    version: storage.version,
    served,
    resource,
    kind,
    listKind: `${kind}List`,
    singular: traits.has("measured") ? "" : kind.toLowerCase(),
    shortNames: shortNames === "-" ? [] : shortNames.split(","),
    categories: categoriesOf(traits, storage.group),
    namespaced: !traits.has("cluster"),
    hasStatus: traits.has("status"),
    ...(traits.has("scale") ? { scale: workloadScale } : {}),
    subresources:
      words
        .find((word) => word.startsWith("sub:"))
        ?.slice("sub:".length)
        .split(",") ?? [],
    countsGeneration: traits.has("generation"),
    createsOnUpdate: traits.has("put-creates"),
    updatesUnconditionally: !traits.has("put-needs-version"),
    returnsDeleted: traits.has("returns-deleted"),
    freeNames: traits.has("free-names"),
    deletesCollections: !traits.has("delete-one"),
    virtual: traits.has("virtual"),
    measured: traits.has("measured"),
  };
}

function categoriesOf(traits: ReadonlySet<string>, group: string): string[] {
  if (traits.has("all")) return ["all"];
  return group === "apiextensions.k8s.io" ? ["api-extensions"] : [];
}

/** The places or traits that a version has; `batch/v1>=21` and `batch/v1beta1<25` name the versions. */
function heldBy(words: readonly string[], minorVersion: number): string[] {
  return words.flatMap((word) => {
    const [since, from] = word.split(">=");
    if (since !== undefined && from !== undefined) return minorVersion >= Number(from) ? [since] : [];
    const [until = "", before] = word.split("<");
    return before === undefined || minorVersion < Number(before) ? [until] : [];
  });
}
