import type { ClusterGraph } from "../graph/cluster-graph.ts";
import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { NodeRef } from "../model/node.ts";
import type { Properties } from "../model/object-facts.ts";
import { whatCan, type Grant } from "../rbac/access.ts";
import { coversResource } from "../rbac/rule.ts";
import { mountsToken, rbacOf } from "./rbac-of.ts";

/** A ServiceAccount and a Secret that a rule lets it read: it follows from roles and bindings, and is stored nowhere. */
export interface RightEdge {
  readonly type: "CAN_READ";
  readonly from: GraphNode;
  readonly to: GraphNode;
  /** JSON pointer in the role. */
  readonly at: string;
  readonly derived: true;
  readonly properties: Properties;
  readonly grant: Grant;
}

const readingVerbs = ["get", "list", "watch"] as const;

/** Which Secrets ServiceAccounts may read by the roles of their clusters. */
export class SecretRights {
  readonly #graph: Graph;
  readonly #clusters: ReadonlyMap<string, ClusterGraph>;
  readonly #grants = new Map<GraphNode, readonly Grant[]>();
  readonly #accounts = new Map<GraphNode, Properties>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#clusters = new Map(graph.entries());
  }

  /** Whether whoever runs as a ServiceAccount can act as it: they have its token. */
  actsAs({ to, properties }: GraphEdge): boolean {
    let account = this.#accounts.get(to);
    if (account === undefined) this.#accounts.set(to, (account = this.#graph.properties(to)));
    return mountsToken(properties, account);
  }

  /** The rules by which a ServiceAccount reads Secrets: widest first. */
  grantsOf(account: GraphNode): readonly Grant[] {
    const known = this.#grants.get(account);
    if (known !== undefined) return known;
    const own = this.#clusterOf(account);
    const { everywhere, byNamespace } =
      own === undefined
        ? { everywhere: [], byNamespace: new Map<string, readonly Grant[]>() }
        : whatCan(rbacOf(own), this.#graph.ref(account));
    const grants = [...everywhere, ...[...byNamespace.values()].flat()]
      .filter(({ policy }) =>
        readingVerbs.some((verb) => coversResource(policy, { verb, group: "", resource: "secrets" })),
      )
      .toSorted((one, other) => width(one) - width(other));
    this.#grants.set(account, grants);
    return grants;
  }

  /** Each Secret that it may read once, by the widest of the rules. */
  *edgesFrom(account: GraphNode): Generator<RightEdge> {
    const own = this.#clusterOf(account);
    const cluster = this.#graph.cluster(account);
    if (own === undefined || cluster === undefined) return;
    const grants = this.grantsOf(account);
    const seen = grants.length > 1 ? new Set<number>() : undefined;
    for (const grant of grants) {
      for (const secret of secretsOf(own, grant)) {
        if (seen?.has(secret) === true) continue;
        seen?.add(secret);
        yield rightEdge(account, this.#graph.nodeIn(cluster, secret), grant);
      }
    }
  }

  #clusterOf(account: GraphNode): ClusterGraph | undefined {
    return this.#clusters.get(this.#graph.cluster(account) ?? "");
  }
}

/** 0 for all Secrets of the cluster, 1 for those of a namespace, 2 for some that are named. */
export function width({ namespace, policy }: Grant): 0 | 1 | 2 {
  if (policy.resourceNames.length > 0) return 2;
  return namespace === "" ? 0 : 1;
}

/** Whether a rule for reading Secrets is about this one. */
export function covers({ namespace, policy }: Grant, secret: NodeRef): boolean {
  const isHere = namespace === "" || namespace === secret.namespace;
  return isHere && (policy.resourceNames.length === 0 || policy.resourceNames.includes(secret.name));
}

function* secretsOf(own: ClusterGraph, { namespace, policy }: Grant): Generator<number> {
  const names = new Set(policy.resourceNames);
  for (const secret of own.nodes("Secret", namespace === "" ? undefined : namespace)) {
    if (names.size === 0 || names.has(own.name(secret))) yield secret;
  }
}

function rightEdge(from: GraphNode, to: GraphNode, grant: Grant): RightEdge {
  return { type: "CAN_READ", from, to, at: grant.rule.at, derived: true, properties: {}, grant };
}
