import {
  exportedEdges,
  exportedNodes,
  ClusterGraph,
  Graph,
  decodeFacts,
  encodeFacts,
  kindFacts,
  type ObjectFacts,
} from "@bowline/graph";
import type { Kubesim, SimObject } from "@bowline/kubesim";

import { randomKinds } from "./random-objects.ts";

/** A graph as lines: each node and each edge with everything that is said of it. */
export type GraphLines = readonly string[];

/** The objects of a resource. */
export type ObjectsOf = (resource: string) => Iterable<SimObject>;

/** As they are read back from where they were written: fields have one order, whatever that of the object was. */
function factsOf(object: SimObject): ObjectFacts {
  const { apiVersion, kind } = object;
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const facts = kindFacts({ group, kind }).facts(object);
  const read = decodeFacts(encodeFacts(facts), facts);
  if (read === undefined) throw new Error(`The facts of ${kind} ${object.metadata.name} cannot be read.`);
  return read;
}

/** None of a custom kind that is not defined now. */
function listed({ api }: Kubesim, resource: string): Iterable<SimObject> {
  try {
    return api.list(resource);
  } catch {
    return [];
  }
}

/** The graph of a cluster, made from what is in it at this moment, or from the objects that are given. */
export function trueGraph(
  name: string,
  sim: Kubesim,
  objects: ObjectsOf = (resource) => listed(sim, resource),
): GraphLines {
  const graph = new ClusterGraph();
  for (const resource of Object.keys(randomKinds)) {
    for (const object of objects(resource)) graph.replace(factsOf(object));
  }
  return linesOf(name, graph);
}

export function linesOf(name: string, cluster: ClusterGraph): GraphLines {
  const graph = new Graph(new Map([[name, cluster]]));
  const nodes = Array.from(exportedNodes(graph), (node) => `node ${JSON.stringify(node)}`);
  const edges = Array.from(exportedEdges(graph), (edge) => `edge ${JSON.stringify(edge)}`);
  return [...nodes, ...edges].toSorted();
}
