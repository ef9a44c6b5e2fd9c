import type { Graph, GraphNode } from "../graph/graph.ts";
import { sharedKinds } from "../model/node.ts";
import { maySee, type Asking } from "./asking.ts";

/** The text that was found, and how much of it was looked for. */
export interface MatchedText {
  readonly text: string;
  readonly match: Match;
}

export type Match = "exact" | "prefix" | "part";
export type SearchField = "name" | "label" | "image" | "ip" | "uid";

export interface Found extends MatchedText {
  readonly node: GraphNode;
  readonly field: SearchField;
}

interface PlacedHit extends Found {
  /** The smaller, the better. */
  readonly place: number;
}

const matchRanks: Readonly<Record<Match, number>> = { exact: 0, prefix: 1, part: 2 };
const fieldRanks: Readonly<Record<SearchField, number>> = { name: 0, uid: 1, ip: 2, image: 3, label: 4 };

/** No text is as long. */
const longest = 10_000;

export interface HitsOptions {
  /** In small letters. */
  readonly text: string;
  /** Of all kinds when missing. */
  readonly kind?: string | undefined;
  readonly limit: number;
}

/**
 * The best hits, each node once. A word that everything has is found a hundred thousand times: of most hits nothing is
 * kept but how good the node's best one was.
 */
export class Hits {
  readonly text: string;
  readonly graph: Graph;
  readonly #asking: Asking;
  readonly #kind: string | undefined;
  readonly #limit: number;
  /** Of every node that was found and may be seen, the place of its best hit. */
  readonly #places = new Map<GraphNode, number>();
  /** The best so far, in order. */
  readonly #best: PlacedHit[] = [];
  readonly #visible = new Map<string, Map<string, Map<string, boolean>>>();

  constructor(asking: Asking, { text, kind, limit }: HitsOptions) {
    this.#asking = asking;
    this.#kind = kind;
    this.#limit = limit;
    this.graph = asking.graph;
    this.text = text;
  }

  /** How many nodes were found. */
  get total(): number {
    return this.#places.size;
  }

  /** The best of them, in order. */
  get best(): readonly Found[] {
    return this.#best;
  }

  /** Whether it is looked for among the things of a kind. */
  wants(kind: string): boolean {
    return this.#kind === undefined || this.#kind === kind;
  }

  add(node: GraphNode, field: SearchField, text: string): void {
    const match = matchOf(text, this.text);
    if (match !== undefined) this.addMatch(node, field, { text, match });
  }

  addMatch(node: GraphNode, field: SearchField, { text, match }: MatchedText): void {
    // Shorter ones first among equals, so that `web-1` comes before `web-1-7d9f`.
    const place = (matchRanks[match] * 10 + fieldRanks[field]) * longest + Math.min(text.length, longest - 1);
    const known = this.#places.get(node);
    if (known === undefined ? !this.#isWanted(node) : known <= place) return;
    this.#places.set(node, place);
    if (known !== undefined) this.#leave(node);
    this.#enter({ node, field, text, match, place });
  }

  #leave(node: GraphNode): void {
    const at = this.#best.findIndex((hit) => hit.node === node);
    if (at >= 0) this.#best.splice(at, 1);
  }

  #enter(hit: PlacedHit): void {
    const best = this.#best;
    const worst = best.at(-1);
    if (worst !== undefined && best.length >= this.#limit && !this.#isBefore(hit, worst)) return;
    let [from, to] = [0, best.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = best[middle];
      if (other !== undefined && this.#isBefore(other, hit)) from = middle + 1;
      else to = middle;
    }
    best.splice(from, 0, hit);
    if (best.length > this.#limit) best.pop();
  }

  /** Part by part: most are compared once, and a text to sort them by would be made for nothing. */
  #isBefore(one: PlacedHit, other: PlacedHit): boolean {
    if (one.place !== other.place) return one.place < other.place;
    if (one.text !== other.text) return one.text < other.text;
    const { graph } = this;
    const [cluster, otherCluster] = [graph.cluster(one.node) ?? "", graph.cluster(other.node) ?? ""];
    if (cluster !== otherCluster) return cluster < otherCluster;
    const [kind, otherKind] = [graph.kind(one.node), graph.kind(other.node)];
    if (kind !== otherKind) return kind < otherKind;
    const [namespace, otherNamespace] = [graph.namespace(one.node), graph.namespace(other.node)];
    if (namespace !== otherNamespace) return namespace < otherNamespace;
    return graph.name(one.node) < graph.name(other.node);
  }

  #isWanted(node: GraphNode): boolean {
    const kind = this.graph.kind(node);
    if (!this.wants(kind)) return false;
    const cluster = this.graph.cluster(node);
    if (cluster === undefined || sharedKinds.has(kind)) return maySee(this.#asking, node);
    const kinds = found(this.#visible, cluster, () => new Map<string, Map<string, boolean>>());
    const namespaces = found(kinds, kind, () => new Map<string, boolean>());
    return found(namespaces, this.graph.namespace(node), () => maySee(this.#asking, node));
  }
}

export function matchOf(text: string, wanted: string): Match | undefined {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at < 0) return undefined;
  if (at > 0) return "part";
  return lower.length === wanted.length ? "exact" : "prefix";
}

function found<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
