import type { ClusterGraph } from "../graph/cluster-graph.ts";
import { nodeKey } from "../model/node.ts";
import type { Properties } from "../model/object-facts.ts";
import { compileRbac, type Rbac } from "../rbac/rbac.ts";
import type { KnownAccounts } from "../rbac/subject-ways.ts";

export const rbacKinds = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

interface Compiled {
  /** Of the graph that it was made from. */
  readonly revision: number;
  readonly rbac: Rbac;
}

/** Roles change seldom and are asked about often: what they come to is kept as long as the graph and its roles are. */
const compiled = new WeakMap<ClusterGraph, Compiled>();

export function rbacOf(graph: ClusterGraph): Rbac {
  const revision = graph.accessRevision;
  const known = compiled.get(graph);
  if (known?.revision === revision) return known.rbac;
  const nodes = rbacKinds.flatMap((kind) => [...graph.nodes(kind)]);
  const rbac = compileRbac(nodes.flatMap((node) => graph.facts(graph.uid(node) ?? "") ?? []));
  compiled.set(graph, { revision, rbac });
  return rbac;
}

/** The ServiceAccounts of a cluster, and the pods that run as them. */
export function accountsOf(graph: ClusterGraph): KnownAccounts {
  const accounts = new Map<string, { name: string; pods: string[] }[]>();
  for (const node of graph.nodes("ServiceAccount")) {
    const account = { name: graph.name(node), pods: podsAs(graph, node).map((pod) => graph.name(pod)) };
    const known = accounts.get(graph.namespace(node));
    if (known === undefined) accounts.set(graph.namespace(node), [account]);
    else known.push(account);
  }
  return accounts;
}

/** The field of pods and ServiceAccounts. */
export const automountField = "automountServiceAccountToken";

/**
 * Whether who runs as a ServiceAccount has a token of it, going by the edge between the two: the pod or its template says
 * so, or has a volume with one; else the ServiceAccount; where nobody says anything, it has. Without a token nobody acts
 * as that ServiceAccount.
 */
export function mountsToken(runsAs: Properties, account: Properties): boolean {
  const { mountsToken: ofPod } = runsAs;
  return (typeof ofPod === "boolean" ? ofPod : account[automountField]) !== false;
}

const [withToken, withoutToken] = ['"mountsToken":true', '"mountsToken":false'] as const;

/** Pods that run as a ServiceAccount and have a token of it; those that have ended do nothing as anybody. */
export function podsAs(graph: ClusterGraph, account: number): number[] {
  const pods: number[] = [];
  const isMounted = mountsToken({}, graph.properties(account));
  for (const { type, from, propertiesText } of graph.in(account)) {
    if (type !== "RUNS_AS" || graph.kind(from) !== "Pod") continue;
    // The texts are looked at as they are: of a whole cluster there are many.
    const hasToken = isMounted ? !propertiesText.includes(withoutToken) : propertiesText.includes(withToken);
    if (hasToken && !/"phase":"(?:Succeeded|Failed)"/u.test(graph.propertiesText(from))) pods.push(from);
  }
  return pods.toSorted((one, other) => (nodeKey(graph.ref(one)) < nodeKey(graph.ref(other)) ? -1 : 1));
}
