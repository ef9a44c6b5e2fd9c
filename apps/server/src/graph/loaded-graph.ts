import { setImmediate as nextTurn } from "node:timers/promises";

import { ClusterGraph, decodeFacts, nodeKind } from "@bowline/graph";
import type { Coverage, GraphStore, StoredVersion } from "@bowline/store";

/** Where graphs are read from. */
export type GraphSource = Pick<
  GraphStore,
  "state" | "current" | "changes" | "at" | "difference" | "coverage"
>;

/** A graph of versions as they are read. Others get their turn after every page. */
export async function graphOf(pages: AsyncIterable<readonly StoredVersion[]>): Promise<ClusterGraph> {
  const graph = new ClusterGraph();
  for await (const page of pages) {
    for (const version of page) putVersion(graph, version);
    await nextTurn();
  }
  return graph;
}

/** Facts that cannot be read any more are none. */
export function putVersion(graph: ClusterGraph, version: StoredVersion): void {
  const { uid, group, kind, namespace, name } = version;
  const facts = decodeFacts(version.facts, { node: { kind: nodeKind(group, kind), namespace, name }, uid });
  if (facts === undefined) graph.remove(uid);
  else graph.replace(facts);
}

interface LoadedParts {
  readonly source: GraphSource;
  readonly clusterId: string;
  readonly graph: ClusterGraph;
  readonly coverage: readonly Coverage[];
  readonly change: number;
  readonly size: number;
  readonly asOfMs: number;
}

/** The graph of a cluster as it is now, as far as it was followed. */
export class LoadedGraph {
  readonly graph: ClusterGraph;
  readonly #source: GraphSource;
  readonly #clusterId: string;
  #coverage: readonly Coverage[];
  #change: number;
  #size: number;
  #asOfMs: number;

  private constructor({ source, clusterId, graph, coverage, change, size, asOfMs }: LoadedParts) {
    this.graph = graph;
    this.#source = source;
    this.#clusterId = clusterId;
    this.#coverage = coverage;
    this.#change = change;
    this.#size = size;
    this.#asOfMs = asOfMs;
  }

  /** Undefined when nothing was ever told of the cluster, or the cluster is gone. */
  static async load(
    source: GraphSource,
    clusterId: string,
    asOfMs: number,
  ): Promise<LoadedGraph | undefined> {
    const state = await source.state(clusterId);
    if (state === undefined) return undefined;
    const graph = await graphOf(source.current(clusterId));
    const coverage = await source.coverage(clusterId);
    const { change, factsSize: size } = state;
    return new LoadedGraph({ source, clusterId, graph, coverage, change, size, asOfMs });
  }

  /** What was observed of the cluster. */
  get coverage(): readonly Coverage[] {
    return this.#coverage;
  }

  /** The number of the last change that it has. */
  get change(): number {
    return this.#change;
  }

  /** Characters of all that its objects say: about as many bytes as it takes. */
  get size(): number {
    return this.#size;
  }

  /** When it was last compared with what is stored. */
  get asOfMs(): number {
    return this.#asOfMs;
  }

  /**
   * Takes what has changed. Resolves to the earliest time from which on an object says something else than was known, to
   * Infinity when there is none. `Expired` when it has to be loaded anew, or the cluster is gone.
   */
  async follow(nowMs: number): Promise<number> {
    const target = await this.#source.state(this.#clusterId);
    if (target !== undefined && target.change === this.#change) {
      this.#asOfMs = nowMs;
      return Infinity;
    }
    let earliestMs = Infinity;
    for (;;) {
      const changes = await this.#source.changes(this.#clusterId, this.#change);
      for (const { change, uid, version } of changes) {
        this.#change = change;
        if (version === undefined) this.graph.remove(uid);
        else putVersion(this.graph, version);
        earliestMs = Math.min(earliestMs, version?.fromMs ?? Infinity);
      }
      if (changes.length === 0 || this.#change >= (target?.change ?? 0)) break;
      await nextTurn();
    }
    // Changes of what is observed are none of objects.
    this.#change = Math.max(this.#change, target?.change ?? 0);
    this.#size = target?.factsSize ?? 0;
    this.#coverage = await this.#source.coverage(this.#clusterId);
    this.#asOfMs = nowMs;
    return earliestMs;
  }
}
