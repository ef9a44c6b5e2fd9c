/** A resource as rules name it. */
export interface ResourceName {
  /** Empty for the core group. */
  readonly group: string;
  /** In the plural. */
  readonly resource: string;
}

/**
 * Resources of Kubernetes from 1.20 on that are in namespaces. Namespaces themselves are among them: a request for one is
 * made in it, so that a Role there can allow it.
 */
const namespacedResources: Readonly<Record<string, string>> = {
  "": "bindings configmaps endpoints events limitranges namespaces persistentvolumeclaims pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
  apps: "controllerrevisions daemonsets deployments replicasets statefulsets",
  "authorization.k8s.io": "localsubjectaccessreviews",
  autoscaling: "horizontalpodautoscalers",
  batch: "cronjobs jobs",
  "coordination.k8s.io": "leasecandidates leases",
  "discovery.k8s.io": "endpointslices",
  "events.k8s.io": "events",
  extensions: "ingresses",
  "metrics.k8s.io": "pods",
  "networking.k8s.io": "ingresses networkpolicies",
  policy: "poddisruptionbudgets",
  "rbac.authorization.k8s.io": "rolebindings roles",
  "resource.k8s.io": "resourceclaims resourceclaimtemplates",
  "scheduling.k8s.io": "podgroups workloads",
  "storage.k8s.io": "csistoragecapacities",
};

/**
 * Those in no namespace, where rights in a namespace are none. Some are nothing that can be listed, and are asked about by
 * the API server all the same: who is impersonated, and whose certificates are signed.
 */
const clusterResources: Readonly<Record<string, string>> = {
  "": "componentstatuses groups nodes persistentvolumes users",
  "admissionregistration.k8s.io":
    "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations",
  "apiextensions.k8s.io": "customresourcedefinitions",
  "apiregistration.k8s.io": "apiservices",
  "authentication.k8s.io": "selfsubjectreviews tokenreviews uids userextras",
  "authorization.k8s.io": "selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
  "certificates.k8s.io": "certificatesigningrequests clustertrustbundles podcertificaterequests signers",
  "flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
  "gateway.networking.k8s.io": "gatewayclasses",
  "internal.apiserver.k8s.io": "storageversions",
  "metrics.k8s.io": "nodes",
  "networking.k8s.io": "ingressclasses ipaddresses servicecidrs",
  "node.k8s.io": "runtimeclasses",
  policy: "podsecuritypolicies",
  "rbac.authorization.k8s.io": "clusterrolebindings clusterroles",
  "resource.k8s.io": "deviceclasses devicetaintrules resourceslices",
  "scheduling.k8s.io": "priorityclasses",
  "storage.k8s.io": "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses",
  "storagemigration.k8s.io": "storageversionmigrations",
};

/** What some resources have beside themselves. */
export const builtinSubresources: ReadonlySet<string> = new Set([
  "approval",
  "attach",
  "binding",
  "ephemeralcontainers",
  "eviction",
  "exec",
  "finalize",
  "log",
  "portforward",
  "proxy",
  "resize",
  "scale",
  "status",
  "token",
]);

/** What can be done to resources: the first are those of requests, the others are asked about beside them. */
export const resourceVerbs: ReadonlySet<string> = new Set([
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
  "approve",
  "attest",
  "bind",
  "escalate",
  "impersonate",
  "sign",
  "use",
]);

/** What can be done to paths that are no resources: the methods of HTTP. */
export const pathVerbs: ReadonlySet<string> = new Set([
  "delete",
  "get",
  "head",
  "options",
  "patch",
  "post",
  "put",
]);

const inNoNamespace = resourceKeys(clusterResources);

/** All of them, as people write them. */
export const builtinResources: ReadonlySet<string> = new Set([
  ...resourceKeys(namespacedResources),
  ...inNoNamespace,
]);

/** Whether it is one of Kubernetes that is in no namespace. */
export function isClusterResource(name: ResourceName): boolean {
  return inNoNamespace.has(resourceKey(name));
}

/** As people write it: `secrets`, `deployments.apps`. */
export function resourceKey({ group, resource }: ResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** The resource of a kind as nearly all of them are named; the kind in lower case. */
export function pluralOf(singular: string): string {
  if (singular.endsWith("endpoints")) return singular;
  if (/(?:s|x|ch)$/u.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/u.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

function resourceKeys(byGroup: Readonly<Record<string, string>>): ReadonlySet<string> {
  const keys = Object.entries(byGroup).flatMap(([group, resources]) =>
    resources.split(" ").map((resource) => resourceKey({ group, resource })),
  );
  return new Set(keys);
}
