import type { ClusterGraph } from "../graph/cluster-graph.ts";
import type { Graph, GraphNode } from "../graph/graph.ts";
import {
  answerNode,
  maySee,
  notObserved,
  sortKey,
  type AnswerNode,
  type Asking,
  type CoverageGap,
} from "./asking.ts";

/**
 * Hits that one may not see are not counted: by guessing one would learn the names of what is there.
 */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly truncated: boolean;
  readonly notObserved: readonly CoverageGap[];
}

export interface SearchHit {
  readonly node: AnswerNode;
  readonly field: "name" | "label" | "image" | "ip" | "uid";
  /** What matched: the name, `key=value`, the reference, the address. */
  readonly text: string;
  readonly match: Match;
}

export type Match = "exact" | "prefix" | "part";

const ranks: Readonly<Record<Match, number>> = { exact: 0, prefix: 1, part: 2 };
const fieldRanks: Readonly<Record<SearchHit["field"], number>> = {
  name: 0,
  uid: 1,
  ip: 2,
  image: 3,
  label: 4,
};

/** What is only inside of a pod is found by its pod. */
const skippedKinds: ReadonlySet<string> = new Set(["Container", "Volume"]);

/** Kinds whose names may have capitals; all others are names of DNS. */
const capitalKinds: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "ContainerImage",
  "Group",
  "Role",
  "RoleBinding",
  "User",
]);

interface Found {
  readonly node: GraphNode;
  readonly field: SearchHit["field"];
  readonly text: string;
  readonly match: Match;
}

/** Finds nodes of all clusters by name, label, image, IP address and uid; exact hits first, then beginnings. */
export function search(asking: Asking, text: string, limit = 50): SearchAnswer {
  const hits = new Hits(asking, text.trim().toLowerCase());
  if (hits.text !== "") {
    for (const [cluster, own] of asking.graph.entries()) searchCluster(hits, cluster, own);
    searchImages(hits, asking.graph);
  }
  const groups = hits.byRank();
  const total = groups.values().reduce((sum, group) => sum + group.length, 0);
  return {
    hits: best(asking.graph, groups, limit).map(({ node, field, text: matched, match }) => ({
      node: answerNode(asking, node),
      field,
      text: matched,
      match,
    })),
    total,
    truncated: total > limit,
    notObserved: notObserved(asking, {}),
  };
}

/** The best hit of each node that one may see. */
class Hits {
  readonly text: string;
  readonly graph: Graph;
  readonly #asking: Asking;
  readonly #best = new Map<GraphNode, Found>();

  constructor(asking: Asking, text: string) {
    this.#asking = asking;
    this.graph = asking.graph;
    this.text = text;
  }

  add(node: GraphNode, field: SearchHit["field"], text: string): void {
    const match = matchOf(text, this.text);
    if (match === undefined) return;
    const found = { node, field, text, match };
    const known = this.#best.get(node);
    if (known === undefined || rank(found) < rank(known)) this.#best.set(node, found);
  }

  /** All that one may see, gathered by how good they are: nobody looks at most, which need no order. */
  byRank(): ReadonlyMap<number, Found[]> {
    const groups = new Map<number, Found[]>();
    for (const found of this.#best.values()) {
      if (!maySee(this.#asking, found.node)) continue;
      // Shorter ones first among equals, so that `web-1` comes before `web-1-7d9f`.
      const key = rank(found) * longest + Math.min(found.text.length, longest - 1);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [found]);
      else group.push(found);
    }
    return groups;
  }
}

const longest = 10_000;

/** The best of them, in order. */
function best(graph: Graph, groups: ReadonlyMap<number, readonly Found[]>, limit: number): Found[] {
  const chosen: Found[] = [];
  for (const key of [...groups.keys()].toSorted((one, other) => one - other)) {
    if (chosen.length >= limit) break;
    const group = groups.get(key) ?? [];
    chosen.push(
      ...group
        .map((found) => [`${found.text} ${sortKey(graph, found.node)}`, found] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, found]) => found)
        .slice(0, limit - chosen.length),
    );
  }
  return chosen;
}

function rank({ match, field }: Found): number {
  return ranks[match] * 10 + fieldRanks[field];
}

function matchOf(text: string, wanted: string): Match | undefined {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at < 0) return undefined;
  if (at > 0) return "part";
  return lower.length === wanted.length ? "exact" : "prefix";
}

function searchCluster(hits: Hits, cluster: string, own: ClusterGraph): void {
  const { text } = hits;
  const add = (node: number, field: SearchHit["field"], matched: string): void =>
    hits.add(hits.graph.nodeIn(cluster, node), field, matched);
  for (const kind of own.kinds()) {
    if (skippedKinds.has(kind)) continue;
    const hasCapitals = capitalKinds.has(kind);
    for (const node of own.nodes(kind)) {
      // The key is there already: one look at it, and most nodes are done with.
      const key = hasCapitals ? own.key(node).toLowerCase() : own.key(node);
      if (key.includes(text)) add(node, "name", own.name(node));
    }
  }
  for (const { node, labels } of own.labelled((each) => pairWith(each, text) !== undefined)) {
    add(node, "label", pairWith(labels, text) ?? "");
  }
  if (/^[0-9a-f-]{4,}$/u.test(text))
    for (const [uid, node] of own.uids()) if (uid.includes(text)) add(node, "uid", uid);
  if (isAddressLike(text)) searchAddresses(own, text, (node, address) => add(node, "ip", address));
}

function pairWith(labels: Readonly<Record<string, string>>, text: string): string | undefined {
  for (const [key, value] of Object.entries(labels)) {
    const pair = `${key}=${value}`;
    if (value.toLowerCase() === text) return value;
    if (pair.toLowerCase().includes(text)) return pair;
  }
  return undefined;
}

/** Digits and dots of an IPv4 address, or hexadecimal groups of an IPv6 address, whole or in part. */
function isAddressLike(text: string): boolean {
  return /^\d{1,3}(?:\.\d{0,3}){1,3}$/u.test(text) || /^[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){1,7}$/u.test(text);
}

/** Only texts of properties that have it somewhere are read. */
function searchAddresses(
  own: ClusterGraph,
  text: string,
  found: (node: number, address: string) => void,
): void {
  for (const kind of ["Pod", "Service", "Node", "Ingress", "Gateway", "EndpointSlice"]) {
    for (const node of own.nodes(kind)) {
      if (!own.propertiesText(node).includes(text)) continue;
      for (const value of Object.values(own.properties(node)).flat()) {
        if (typeof value === "string" && isAddressLike(value) && value.includes(text)) found(node, value);
      }
    }
  }
}

/** By digest they are found by name; by reference here. */
function searchImages(hits: Hits, graph: Graph): void {
  for (const image of graph.nodes("ContainerImage")) {
    for (const { reference } of graph.propertiesInto(image, hits.text)) {
      if (typeof reference === "string") hits.add(image, "image", reference);
    }
  }
}
