import { setImmediate as nextTurn } from "node:timers/promises";

import { ClusterGraph, decodeFacts, nodeKind } from "@bowline/graph";
import type { Coverage, GraphStore, StoredVersion } from "@bowline/store";

/** Where graphs are read from. */
export type GraphSource = Pick<GraphStore, "state" | "current" | "changes" | "earlier" | "coverage">;

/** Facts that cannot be read any more are none. */
export function putVersion(graph: ClusterGraph, version: StoredVersion): void {
  const { uid, group, kind, namespace, name } = version;
  const facts = decodeFacts(version.facts, { node: { kind: nodeKind(group, kind), namespace, name }, uid });
  if (facts === undefined) graph.remove(uid);
  else graph.replace(facts);
}

type LoadedState = NonNullable<Awaited<ReturnType<GraphSource["state"]>>>;

/** Removing so many objects takes some tens of milliseconds. */
const removedAtOnce = 1_000;

/** The graph of a cluster as it is now, as far as it was followed. */
export class LoadedGraph {
  readonly graph = new ClusterGraph();
  readonly #source: GraphSource;
  readonly #clusterId: string;
  /** Since when each object says what it says. */
  readonly #sinceMs = new Map<string, number>();
  #coverage: readonly Coverage[] = [];
  #change: number;
  #size: number;
  #asOfMs: number;

  private constructor(source: GraphSource, clusterId: string, state: LoadedState, asOfMs: number) {
    this.#source = source;
    this.#clusterId = clusterId;
    this.#change = state.change;
    this.#size = state.factsSize;
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
    const loaded = new LoadedGraph(source, clusterId, state, asOfMs);
    for await (const page of source.current(clusterId)) {
      for (const version of page) loaded.#put(version);
      // Others get their turn after every page.
      await nextTurn();
    }
    loaded.#coverage = await source.coverage(clusterId);
    return loaded;
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
        if (version === undefined) this.#remove(uid);
        else this.#put(version);
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

  /**
   * A graph of an earlier time: a copy of this one, without what has come since, and with what was there instead. That
   * takes less time than to build one, also when most has changed. `Expired` when not everything of that time is kept.
   */
  async at(timeMs: number): Promise<ClusterGraph> {
    const graph = this.graph.copy();
    const later = new Set<string>();
    for (const [uid, sinceMs] of this.#sinceMs) if (sinceMs > timeMs) later.add(uid);
    // What is over by now, but was not when the graph was copied, says what it has said in the copy.
    for await (const page of this.#source.earlier(this.#clusterId, timeMs)) {
      for (const version of page) {
        putVersion(graph, version);
        later.delete(version.uid);
      }
      await nextTurn();
    }
    let removed = 0;
    for (const uid of later) {
      graph.remove(uid);
      if ((removed += 1) % removedAtOnce === 0) await nextTurn();
    }
    return graph;
  }

  #put(version: StoredVersion): void {
    putVersion(this.graph, version);
    this.#sinceMs.set(version.uid, version.fromMs);
  }

  #remove(uid: string): void {
    this.graph.remove(uid);
    this.#sinceMs.delete(uid);
  }
}
