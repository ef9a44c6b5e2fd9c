import type { ClusterGraph } from "../graph/cluster-graph.ts";
import type { Graph } from "../graph/graph.ts";
import { answerNode, notObserved, type AnswerNode, type Asking, type CoverageGap } from "./asking.ts";
import { Hits, matchOf, type Match, type MatchedText, type SearchField } from "./search-hits.ts";

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
  readonly field: SearchField;
  /** What matched: the name, `key=value`, the reference, the address. */
  readonly text: string;
  readonly match: Match;
}

export interface SearchOptions {
  readonly limit?: number | undefined;
  readonly kind?: string | undefined;
}

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

/** Finds nodes of all clusters by name, label, image, IP address and uid; exact hits first, then beginnings. */
export function search(asking: Asking, text: string, options: SearchOptions = {}): SearchAnswer {
  const { limit = 50, kind } = options;
  const hits = new Hits(asking, { text: text.trim().toLowerCase(), kind, limit });
  if (hits.text !== "") {
    for (const [cluster, own] of asking.graph.entries()) searchCluster(hits, cluster, own);
    searchImages(hits, asking.graph);
  }
  return {
    hits: hits.best.map(({ node, field, text: matched, match }) => ({
      node: answerNode(asking, node),
      field,
      text: matched,
      match,
    })),
    total: hits.total,
    truncated: hits.total > limit,
    notObserved: notObserved(asking, {}),
  };
}

function searchCluster(hits: Hits, cluster: string, own: ClusterGraph): void {
  const { text } = hits;
  const add = (node: number, field: SearchField, matched: string): void =>
    hits.add(hits.graph.nodeIn(cluster, node), field, matched);
  for (const kind of own.kinds()) {
    if (skippedKinds.has(kind) || !hits.wants(kind)) continue;
    const hasCapitals = capitalKinds.has(kind);
    for (const node of own.nodes(kind)) {
      const name = own.name(node);
      // One look, and most nodes are done with.
      if ((hasCapitals ? name.toLowerCase() : name).includes(text)) add(node, "name", name);
    }
  }
  // The same labels are those of many nodes.
  const pairs = new Map<object, MatchedText>();
  const labelled = own.labelled((labels) => {
    const pair = pairWith(labels, text);
    if (pair !== undefined) pairs.set(labels, pair);
    return pair !== undefined;
  });
  for (const { node, labels } of labelled) {
    const pair = pairs.get(labels);
    if (pair !== undefined) hits.addMatch(hits.graph.nodeIn(cluster, node), "label", pair);
  }
  if (/^[0-9a-f-]{4,}$/u.test(text))
    for (const [uid, node] of own.uids()) if (uid.includes(text)) add(node, "uid", uid);
  if (isAddressLike(text)) searchAddresses(own, text, (node, address) => add(node, "ip", address));
}

/** A value that is the text, or else a pair that has it. */
function pairWith(labels: Readonly<Record<string, string>>, text: string): MatchedText | undefined {
  let found: MatchedText | undefined;
  for (const [key, value] of Object.entries(labels)) {
    if (value.toLowerCase() === text) return { text: value, match: "exact" };
    if (found !== undefined) continue;
    const pair = `${key}=${value}`;
    const match = matchOf(pair, text);
    if (match !== undefined) found = { text: pair, match };
  }
  return found;
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
