/** Something in a cluster, by its name; without a cluster for what is the same in all of them. */
export interface NodeRef {
  readonly cluster?: string | undefined;
  /** As the graph has it: with its group, if it comes with custom resources. */
  readonly kind: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

/** As questions take it: `Secret/shop/db`. */
export function nodeParameter({ kind, namespace, name }: NodeRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** Reads what `nodeParameter` wrote. Names of users may have slashes. */
export function parseNode(text: string): NodeRef | undefined {
  const [kind = "", namespace, ...name] = text.split("/");
  if (kind === "" || namespace === undefined || name.join("/") === "") return undefined;
  return { kind, namespace, name: name.join("/") };
}

/** For people: `Secret shop/db`. */
export function nodeText({ kind, namespace, name }: NodeRef): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Tells nodes of all clusters apart. */
export function nodeId(ref: NodeRef): string {
  return `${ref.cluster ?? ""} ${nodeParameter(ref)}`;
}

/** Where the API of Kubernetes has the objects of a kind. */
interface KindPlace {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function places(group: string, version: string, resources: Readonly<Record<string, string>>) {
  return Object.entries(resources).map(([kind, resource]): [string, KindPlace] => [
    kind,
    { group, version, resource },
  ]);
}

/** The kinds that are observed in every cluster; where others are, the graph does not know. */
const kindPlaces: ReadonlyMap<string, KindPlace> = new Map([
  ...places("core", "v1", {
    ConfigMap: "configmaps",
    Namespace: "namespaces",
    Node: "nodes",
    PersistentVolume: "persistentvolumes",
    PersistentVolumeClaim: "persistentvolumeclaims",
    Pod: "pods",
    Secret: "secrets",
    Service: "services",
    ServiceAccount: "serviceaccounts",
  }),
  ...places("apps", "v1", {
    DaemonSet: "daemonsets",
    Deployment: "deployments",
    ReplicaSet: "replicasets",
    StatefulSet: "statefulsets",
  }),
  ...places("batch", "v1", { CronJob: "cronjobs", Job: "jobs" }),
  ...places("discovery.k8s.io", "v1", { EndpointSlice: "endpointslices" }),
  ...places("networking.k8s.io", "v1", { Ingress: "ingresses", NetworkPolicy: "networkpolicies" }),
  ...places("gateway.networking.k8s.io", "v1", {
    Gateway: "gateways",
    GRPCRoute: "grpcroutes",
    HTTPRoute: "httproutes",
  }),
  ...places("rbac.authorization.k8s.io", "v1", {
    ClusterRole: "clusterroles",
    ClusterRoleBinding: "clusterrolebindings",
    Role: "roles",
    RoleBinding: "rolebindings",
  }),
]);

/** The page of an object, within the console; undefined for what has none. */
export function objectPath({ cluster, kind, namespace, name }: NodeRef): string | undefined {
  const place = kindPlaces.get(kind);
  if (place === undefined || cluster === undefined) return undefined;
  const { group, version, resource } = place;
  const parts = [group, version, resource, namespace === "" ? "-" : namespace, name];
  const segments = parts.map((part) => encodeURIComponent(part.toWellFormed()));
  return `/c/${encodeURIComponent(cluster)}/o/${segments.join("/")}`;
}

/** The kinds that one can name, for suggestions. */
export const knownKinds: readonly string[] = [
  ...[...kindPlaces.keys()].toSorted(),
  "ContainerImage",
  "User",
  "Group",
];
