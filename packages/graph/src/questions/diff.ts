import { canonicalJson } from "@bowline/core";

import type { ClusterEdge, ClusterGraph } from "../graph/cluster-graph.ts";
import type { Graph } from "../graph/graph.ts";
import { sharedKinds } from "../model/node.ts";
import type { Properties } from "../model/object-facts.ts";
import { answerEdge, type AnswerEdge } from "./answer-edge.ts";
import {
  answerNode,
  maySee,
  notObserved,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
  type CoverageGap,
} from "./asking.ts";

export interface DiffAnswer extends AnswerFrame {
  /** How many changes there are, those included that are withheld or did not fit. */
  readonly total: number;
  readonly nodes: readonly NodeChange[];
  readonly edges: readonly EdgeChange[];
}

export interface DiffOptions {
  readonly limit?: number | undefined;
  /** Only what is in it, and what leads there or from there. */
  readonly namespace?: string | undefined;
}

export type Change = "came" | "went" | "changed";

export interface NodeChange {
  readonly change: Change;
  readonly node: AnswerNode;
  /** `true`, if it was made again: it has another uid. */
  readonly remade?: true;
  /** The properties that are not as they were: of what changed only. */
  readonly properties?: readonly PropertyChange[];
}

export interface PropertyChange {
  readonly name: string;
  readonly before?: Properties[string];
  readonly after?: Properties[string];
}

export interface EdgeChange {
  readonly change: Change;
  readonly from: AnswerNode;
  readonly to: AnswerNode;
  readonly edge: AnswerEdge;
}

/** Changes of one of the two, before they are told. */
interface Found<T> {
  readonly key: string;
  /** Where it is: an edge has two ends. */
  readonly namespaces: readonly string[];
  readonly isVisible: boolean;
  readonly tell: () => T;
}

/** What came, went and changed between two graphs, such as those of two moments. */
export function diff(before: Asking, after: Asking, options: DiffOptions = {}): DiffAnswer {
  const { limit = 1_000, namespace } = options;
  const isWanted = ({ namespaces }: Found<unknown>): boolean =>
    namespace === undefined || namespaces.includes(namespace);
  const clusters = [...new Set([...before.graph.clusters, ...after.graph.clusters])];
  const sides = clusters.map((cluster): readonly [Side, Side] => [
    { asking: before, cluster, own: graphOf(before.graph, cluster) },
    { asking: after, cluster, own: graphOf(after.graph, cluster) },
  ]);
  const nodes = distinct(sides.flatMap(([one, other]) => [...nodeChanges(one, other)])).filter(isWanted);
  const edges = distinct(sides.flatMap(([one, other]) => [...edgeChanges(one, other)])).filter(isWanted);
  const [toldNodes, toldEdges] = [told(nodes, limit), told(edges, limit)];
  const visible = [...nodes, ...edges].filter(({ isVisible }) => isVisible).length;
  return {
    total: nodes.length + edges.length,
    nodes: toldNodes,
    edges: toldEdges,
    withheld: nodes.length + edges.length - visible,
    truncated: toldNodes.length + toldEdges.length < visible,
    notObserved: [...gaps(before, namespace), ...gaps(after, namespace)].filter(
      (gap, index, all) => all.findIndex((each) => canonicalJson(each) === canonicalJson(gap)) === index,
    ),
  };
}

function gaps(asking: Asking, namespace: string | undefined): CoverageGap[] {
  return notObserved(asking, namespace === undefined ? {} : { namespaces: [namespace] });
}

/** What clusters share is told once. */
function distinct<T>(found: Iterable<Found<T>>): Found<T>[] {
  return [...new Map([...found].map((each) => [each.key, each])).values()];
}

function told<T>(found: readonly Found<T>[], limit: number): T[] {
  return found
    .filter(({ isVisible }) => isVisible)
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, limit)
    .map(({ tell }) => tell());
}

/** One of the two graphs of a cluster. */
interface Side {
  readonly asking: Asking;
  readonly cluster: string;
  readonly own: ClusterGraph | undefined;
}

function graphOf(graph: Graph, cluster: string): ClusterGraph | undefined {
  for (const [name, own] of graph.entries()) if (name === cluster) return own;
  return undefined;
}

function* nodeChanges(before: Side, after: Side): Generator<Found<NodeChange>> {
  for (const node of after.own?.nodes() ?? []) {
    const old = counterpart(after, node, before);
    if (old === undefined) yield nodeChange(after, node, { change: "came" });
    else if (old !== "elsewhere" && after.own !== undefined && before.own !== undefined) {
      const properties = propertyChanges(before.own, old, after.own, node);
      const remade = before.own.uid(old) !== after.own.uid(node);
      const isSame = properties.length === 0 && !remade;
      if (!isSame) yield nodeChange(after, node, { change: "changed", remade, properties });
    }
  }
  for (const node of before.own?.nodes() ?? []) {
    if (counterpart(before, node, after) === undefined) yield nodeChange(before, node, { change: "went" });
  }
}

/** The same node on the other side. What clusters share is there if any of them has it, and has nothing to compare. */
function counterpart({ own }: Side, node: number, other: Side): number | "elsewhere" | undefined {
  if (own === undefined) return undefined;
  const found = other.own?.findKey(own.key(node));
  if (found !== undefined || !sharedKinds.has(own.kind(node))) return found;
  return other.asking.graph.find(undefined, own.ref(node)) === undefined ? undefined : "elsewhere";
}

interface Told {
  readonly change: Change;
  readonly remade?: boolean;
  readonly properties?: readonly PropertyChange[];
}

function nodeChange(
  { asking, cluster, own }: Side,
  node: number,
  { change, remade, properties }: Told,
): Found<NodeChange> {
  const global = asking.graph.nodeIn(cluster, node);
  return {
    key: `${asking.graph.cluster(global) ?? ""} ${own?.key(node)}`,
    namespaces: [asking.graph.namespace(global)],
    isVisible: maySee(asking, global),
    tell: () => ({
      change,
      node: answerNode(asking, global),
      ...(remade === true ? { remade } : {}),
      ...(properties === undefined ? {} : { properties }),
    }),
  };
}

/** The texts are compared first: nearly all are the same, and of a copy even the same text. */
function propertyChanges(
  before: ClusterGraph,
  old: number,
  after: ClusterGraph,
  node: number,
): PropertyChange[] {
  const isSame =
    before.propertiesText(old) === after.propertiesText(node) &&
    canonicalJson(before.labels(old)) === canonicalJson(after.labels(node));
  if (isSame) return [];
  const [was, is] = [before.properties(old), after.properties(node)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .toSorted()
    .flatMap((name): PropertyChange[] => {
      const [one, other] = [was[name], is[name]];
      if (canonicalJson(one) === canonicalJson(other)) return [];
      return [
        {
          name,
          ...(one === undefined ? {} : { before: one }),
          ...(other === undefined ? {} : { after: other }),
        },
      ];
    });
}

function* edgeChanges(before: Side, after: Side): Generator<Found<EdgeChange>> {
  for (const key of new Set([...keysOf(before), ...keysOf(after)])) {
    if (haveSameEdges(before, after, key)) continue;
    const [was, is] = [edgesFrom(before, key), edgesFrom(after, key)];
    for (const [id, edge] of is) {
      const old = was.get(id);
      if (old === undefined) yield edgeChange(after, edge, id, "came");
      else if (canonicalJson(old.properties) !== canonicalJson(edge.properties)) {
        yield edgeChange(after, edge, id, "changed");
      }
    }
    for (const [id, edge] of was) if (!is.has(id)) yield edgeChange(before, edge, id, "went");
  }
}

function keysOf({ own }: Side): string[] {
  return own === undefined ? [] : [...own.nodes()].map((node) => own.key(node));
}

/** Whether the edges are the same, one after the other: so it is for nearly all, and quick to see. */
function haveSameEdges({ own: before }: Side, { own: after }: Side, key: string): boolean {
  const [old, node] = [before?.findKey(key), after?.findKey(key)];
  if (before === undefined || after === undefined || old === undefined || node === undefined) return false;
  const others = before.out(old);
  for (const edge of after.out(node)) {
    const other = others.next().value;
    const isSame =
      other?.type === edge.type &&
      other.at === edge.at &&
      other.propertiesText === edge.propertiesText &&
      before.key(other.to) === after.key(edge.to);
    if (!isSame) return false;
  }
  return others.next().done === true;
}

/** By what tells an edge apart from others of the same node. */
function edgesFrom({ own }: Side, key: string): ReadonlyMap<string, ClusterEdge> {
  const edges = new Map<string, ClusterEdge>();
  const node = own?.findKey(key);
  if (own === undefined || node === undefined) return edges;
  for (const edge of own.out(node)) edges.set(`${key} ${edge.type} ${own.key(edge.to)} ${edge.at}`, edge);
  return edges;
}

function edgeChange(
  { asking, cluster }: Side,
  edge: ClusterEdge,
  key: string,
  change: Change,
): Found<EdgeChange> {
  const from = asking.graph.nodeIn(cluster, edge.from);
  const to = asking.graph.nodeIn(cluster, edge.to);
  const { type, at, derived } = edge;
  return {
    key: `${cluster} ${key}`,
    namespaces: [asking.graph.namespace(from), asking.graph.namespace(to)],
    isVisible: maySee(asking, from) && maySee(asking, to),
    tell: () => ({
      change,
      from: answerNode(asking, from),
      to: answerNode(asking, to),
      edge: answerEdge(asking, { type, from, to, at, derived, properties: edge.properties }),
    }),
  };
}
