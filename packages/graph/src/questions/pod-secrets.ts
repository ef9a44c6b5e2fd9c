import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { nodeKey } from "../model/node.ts";
import type { WalkEdge } from "./answer-edge.ts";
import type { Owners } from "./owners.ts";
import { width, type SecretRights } from "./secret-rights.ts";

/** One way to a Secret. */
export interface SecretWay {
  readonly secret: GraphNode;
  /** The same for all pods of a workload. */
  readonly key: string;
  readonly edges: readonly WalkEdge[];
  /** `given`: a field names it; else how many Secrets the rule is for. */
  readonly reach: "given" | "some" | "namespace" | "cluster";
}

const reaches = ["cluster", "namespace", "some"] as const;

/** What somebody in a pod gets at: Secrets that it is given, and those that its ServiceAccount may read. */
export class PodSecrets {
  readonly #graph: Graph;
  readonly #rights: SecretRights;
  readonly #owners: Owners;

  constructor(graph: Graph, rights: SecretRights, owners: Owners) {
    this.#graph = graph;
    this.#rights = rights;
    this.#owners = owners;
  }

  /** From the edge that leads to the pod. */
  *from(toPod: GraphEdge): Generator<SecretWay> {
    const graph = this.#graph;
    const pod = toPod.to;
    if (!graph.observed(pod) || hasEnded(graph, pod)) return;
    const workload = nodeKey(graph.ref(this.#owners.top(pod)));
    let runsAs: GraphEdge | undefined;
    for (const edge of graph.out(pod)) {
      if (edge.type === "RUNS_AS") runsAs = edge;
      // Those for pulling images are the node's, and never in the pod.
      if (edge.type !== "HAS_CONTAINER" && edge.type !== "USES_VOLUME") continue;
      for (const use of graph.out(edge.to)) {
        if (use.type !== "USES_SECRET") continue;
        const key = `${workload} ${use.at}`;
        yield { secret: use.to, key, edges: [toPod, edge, use], reach: "given" };
      }
    }
    if (runsAs !== undefined && this.#rights.actsAs(runsAs)) yield* this.#byRights(toPod, runsAs);
  }

  *#byRights(toPod: GraphEdge, runsAs: GraphEdge): Generator<SecretWay> {
    for (const edge of this.#rights.edgesFrom(runsAs.to)) {
      const { binding, rule } = edge.grant;
      const key = `${nodeKey(binding)} ${nodeKey(rule.role)} ${rule.index}`;
      yield { secret: edge.to, key, edges: [toPod, runsAs, edge], reach: reaches[width(edge.grant)] };
    }
  }
}

/** What has ended does nothing any more. */
export function hasEnded(graph: Graph, pod: GraphNode): boolean {
  const { phase } = graph.properties(pod);
  return phase === "Succeeded" || phase === "Failed";
}
