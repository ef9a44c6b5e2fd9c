import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { isGap, sortKey, type Asking } from "./asking.ts";

/** By what a Service is reached from outside of its cluster. */
export type EntryWay =
  | "LoadBalancer"
  | "NodePort"
  | "external address"
  | "Ingress"
  | "Gateway"
  | "route"
  | "withheld";

/** A Service that is reached from outside, and the pods behind it. */
export interface Entry extends WayIn {
  readonly service: GraphNode;
  /** From the Service to each of its pods. */
  readonly pods: readonly GraphEdge[];
}

interface WayIn {
  readonly way: EntryWay;
  /** From the Gateway, or the Ingress, to the Service. */
  readonly edges: readonly GraphEdge[];
}

/** All Services that are reached from outside, of a namespace or of all. */
export function* entriesOf(asking: Asking, namespace?: string): Generator<Entry> {
  const { graph } = asking;
  for (const service of graph.nodes("Service", namespace)) {
    const wayIn = wayInto(asking, service);
    if (wayIn === undefined) continue;
    const pods = podsBehind(graph, service);
    if (pods.length > 0) yield { service, ...wayIn, pods };
  }
}

function wayInto(asking: Asking, service: GraphNode): WayIn | undefined {
  const { graph } = asking;
  const { type, external } = graph.properties(service);
  if (type === "LoadBalancer" || type === "NodePort") return { way: type, edges: [] };
  const leading = [...graph.in(service)].filter((edge) => edge.type === "ROUTES_TO");
  const ingress = first(
    graph,
    leading.filter(({ from }) => graph.kind(from) === "Ingress"),
    "from",
  );
  if (ingress !== undefined) return { way: "Ingress", edges: [ingress] };
  const routes = leading.filter(({ from }) => graph.kind(from).endsWith("Route"));
  const attached = routes.flatMap((edge) => {
    const wayIn = wayByRoute(asking, edge);
    return wayIn === undefined ? [] : [wayIn];
  });
  const found = attached.find(({ way }) => way === "Gateway") ?? attached[0];
  if (found !== undefined) return found;
  return Array.isArray(external) && external.length > 0 ? { way: "external address", edges: [] } : undefined;
}

/**
 * A route leads in from what it is attached to: a Gateway, unless it is known that there is none of that name, or
 * something that stands for one. One that is attached to a Service is for those who are inside already.
 */
function wayByRoute(asking: Asking, edge: GraphEdge): WayIn | undefined {
  const { graph } = asking;
  const parents = [...graph.out(edge.from)].filter(({ type, to }) => {
    return type === "ATTACHED_TO" && graph.kind(to) !== "Service" && mayExist(asking, to);
  });
  const gateway = first(
    graph,
    parents.filter(({ to }) => graph.kind(to) === "Gateway"),
    "to",
  );
  if (gateway !== undefined) return { way: "Gateway", edges: [gateway, edge] };
  return parents.length > 0 ? { way: "route", edges: [edge] } : undefined;
}

/** Nobody looks at kinds that are not observed, so that what is only referred to may be there. */
function mayExist(asking: Asking, node: GraphNode): boolean {
  const { graph } = asking;
  const kind = graph.kind(node);
  if (graph.observed(node) || kind !== "Gateway") return true;
  return isGap(asking, graph.cluster(node) ?? "", graph.namespace(node), kind);
}

/** The same one for the same graph, in whichever order it was told. */
function first(graph: Graph, edges: readonly GraphEdge[], end: "from" | "to"): GraphEdge | undefined {
  const key = (edge: GraphEdge): string => `${sortKey(graph, edge[end])} ${edge.at}`;
  return edges.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))[0];
}

/** A selector and its endpoints lead to the same pods, which are told once. */
function podsBehind(graph: Graph, service: GraphNode): GraphEdge[] {
  const pods = new Map<GraphNode, GraphEdge>();
  for (const edge of graph.out(service)) {
    const leads = edge.type === "SELECTS" || edge.type === "ROUTES_TO";
    if (leads && graph.kind(edge.to) === "Pod" && !pods.has(edge.to)) pods.set(edge.to, edge);
  }
  return [...pods.values()];
}
