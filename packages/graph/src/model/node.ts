/**
 * Names a node of a cluster's graph. Objects refer to each other by name, so that this is how nodes are told apart: an
 * object that was deleted and made again is the same node with another uid, and one that nobody has seen has a node as
 * soon as somebody refers to it.
 */
export interface NodeRef {
  /** As `nodeKind` gives it, `Container` or `Volume` for what is inside of a pod, or one of `sharedKinds`. */
  readonly kind: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** What is the same thing in whichever cluster it is seen. An image is named by its digest. */
export const sharedKinds: ReadonlySet<string> = new Set(["ContainerImage", "User", "Group"]);

/** Groups whose kinds go without a group: no two of them have a kind of the same name that anybody looks at. */
const plainGroups: ReadonlySet<string> = new Set([
  "",
  "apps",
  "autoscaling",
  "batch",
  "discovery.k8s.io",
  "gateway.networking.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
]);

/** `Deployment`; `Rollout.argoproj.io` for what comes with custom resources. */
export function nodeKind(group: string, kind: string): string {
  return plainGroups.has(group) ? kind : `${kind}.${group}`;
}

/** One text for a node, unique in its cluster: `Secret/shop/db`. */
export function nodeKey({ kind, namespace, name }: NodeRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** Reads what `nodeKey` wrote. Neither kinds nor namespaces have a slash; names of users may. */
export function parseNodeKey(key: string): NodeRef | undefined {
  const first = key.indexOf("/");
  const second = key.indexOf("/", first + 1);
  if (first < 1 || second < 0 || second === key.length - 1) return undefined;
  return {
    kind: key.slice(0, first),
    namespace: key.slice(first + 1, second),
    name: key.slice(second + 1),
  };
}

/** A container of a pod; `list` is the field it is in: `containers`, `initContainers` or `ephemeralContainers`. */
export function containerRef(namespace: string, pod: string, list: string, name: string): NodeRef {
  return { kind: "Container", namespace, name: `${pod}/${list}/${name}` };
}

/** A volume of a pod. Two pods whose volumes have the same name do not share one. */
export function volumeRef(namespace: string, pod: string, name: string): NodeRef {
  return { kind: "Volume", namespace, name: `${pod}/${name}` };
}
