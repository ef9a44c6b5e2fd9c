import { hasCode, LruMap, type Clock } from "@bowline/core";
import type { ClusterGraph } from "@bowline/graph";
import type { Coverage } from "@bowline/store";

import { LoadedGraph, type GraphSource } from "./loaded-graph.ts";

export interface ClusterGraphsOptions {
  readonly source: GraphSource;
  readonly clock: Clock;
  readonly limits?: Partial<ClusterGraphLimits> | undefined;
}

export interface ClusterGraphLimits {
  /** How much the graphs in memory may say together, in characters; beyond it those that wait longest are put away. */
  readonly maxSize: number;
  /** A graph nobody has asked about for so long is put away. */
  readonly idleMs: number;
  /** A graph that was compared with what is stored so recently is taken for current, unless its change was told. */
  readonly freshMs: number;
  /** How many graphs of earlier times are kept. */
  readonly maxPast: number;
  /** How much they may say together, in characters; the one that was asked for last is kept whatever it says. */
  readonly maxPastSize: number;
}

const defaultLimits: ClusterGraphLimits = {
  maxSize: 256 * 1024 * 1024,
  idleMs: 30 * 60_000,
  freshMs: 1_000,
  maxPast: 4,
  maxPastSize: 32 * 1024 * 1024,
};

/** The graph of a cluster at a time. It changes as soon as somebody else awaits something: ask it at once. */
export interface GraphAtTime {
  readonly graph: ClusterGraph;
  readonly coverage: readonly Coverage[];
  /** The moment it is the graph of. */
  readonly asOfMs: number;
}

interface PastGraph extends GraphAtTime {
  readonly clusterId: string;
  /** That of the current graph, which it was made of. */
  readonly size: number;
}

interface AskedPast extends Pick<PastGraph, "clusterId" | "asOfMs"> {
  /** Something else was told of its time meanwhile. */
  isOutdated: boolean;
}

interface Entry {
  /** Undefined for a cluster of which nothing was told. */
  readonly loading: Promise<LoadedGraph | undefined>;
  loaded?: LoadedGraph | undefined;
  following?: Promise<void> | undefined;
  /** A change was told that it does not have yet. */
  isStale: boolean;
  usedAtMs: number;
}

/**
 * The graphs of clusters in memory: loaded when somebody first asks, compared with what is stored when somebody asks
 * again, and put away when nobody does. Every replica has its own.
 */
export class ClusterGraphs {
  readonly #source: GraphSource;
  readonly #clock: Clock;
  readonly #limits: ClusterGraphLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #past: LruMap<string, PastGraph>;
  /** Graphs of earlier times that are being made. */
  readonly #asked = new Set<AskedPast>();
  #stopSweeping: (() => void) | undefined;

  constructor({ source, clock, limits }: ClusterGraphsOptions) {
    this.#source = source;
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#past = new LruMap(this.#limits.maxPast);
  }

  /** The ids of clusters whose graphs are in memory. */
  get loaded(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Something was stored: who asks next gets it. */
  changed(clusterId: string): void {
    const entry = this.#entries.get(clusterId);
    if (entry !== undefined) entry.isStale = true;
  }

  /** The graph as it is now, or undefined when nothing was ever told of the cluster. */
  async current(clusterId: string): Promise<GraphAtTime | undefined> {
    return this.#current(clusterId);
  }

  /**
   * The graph as it was at a time, or undefined when nothing was ever told of the cluster. `Expired` when not everything
   * of that time is kept.
   */
  async at(clusterId: string, timeMs: number): Promise<GraphAtTime | undefined> {
    const current = await this.#current(clusterId);
    if (current === undefined || timeMs >= this.#clock.now()) return current;
    const known = this.#past.get(pastKey({ clusterId, asOfMs: timeMs }));
    if (known !== undefined) return known;
    const asked = { clusterId, asOfMs: timeMs, isOutdated: false };
    this.#asked.add(asked);
    try {
      const coverage = await this.#source.coverage(clusterId, timeMs);
      const { size } = current;
      // Before it is made: the two would be there at once, and be what takes most memory.
      this.#makeRoom(size);
      const past = { clusterId, graph: await current.at(timeMs), coverage, asOfMs: timeMs, size };
      if (!asked.isOutdated) this.#past.set(pastKey(past), past);
      return past;
    } finally {
      this.#asked.delete(asked);
    }
  }

  close(): void {
    this.#stopSweeping?.();
    this.#entries.clear();
    this.#past.clear();
  }

  async #current(clusterId: string): Promise<LoadedGraph | undefined> {
    const entry = this.#entries.get(clusterId) ?? this.#load(clusterId);
    entry.usedAtMs = this.#clock.now();
    const loaded = await entry.loading;
    if (loaded === undefined) return undefined;
    const isFresh = !entry.isStale && this.#clock.now() - loaded.asOfMs < this.#limits.freshMs;
    if (isFresh && entry.following === undefined) return loaded;
    try {
      await (entry.following ??= this.#follow(clusterId, entry, loaded));
      return loaded;
    } catch (error) {
      if (this.#entries.get(clusterId) === entry) this.#entries.delete(clusterId);
      if (!hasCode(error, "Expired")) throw error;
      return this.#current(clusterId);
    }
  }

  #load(clusterId: string): Entry {
    const nowMs = this.#clock.now();
    const loading = LoadedGraph.load(this.#source, clusterId, nowMs);
    const entry: Entry = { loading, isStale: false, usedAtMs: nowMs };
    this.#entries.set(clusterId, entry);
    void this.#keep(clusterId, entry);
    this.#stopSweeping ??= this.#clock.after(this.#limits.idleMs, () => this.#sweep());
    return entry;
  }

  /** One that is none, or could not be loaded, is not kept. */
  async #keep(clusterId: string, entry: Entry): Promise<void> {
    try {
      entry.loaded = await entry.loading;
    } catch {
      // Those who have asked are told.
    }
    if (entry.loaded !== undefined) this.#withinBudget(clusterId);
    else if (this.#entries.get(clusterId) === entry) this.#entries.delete(clusterId);
  }

  async #follow(clusterId: string, entry: Entry, loaded: LoadedGraph): Promise<void> {
    try {
      entry.isStale = false;
      const earliestMs = await loaded.follow(this.#clock.now());
      // An agent that was away tells of times that somebody has asked about, or is about to get.
      for (const asked of this.#asked) {
        if (asked.clusterId === clusterId && asked.asOfMs >= earliestMs) asked.isOutdated = true;
      }
      for (const past of this.#past.values()) {
        if (past.clusterId === clusterId && past.asOfMs >= earliestMs) {
          this.#past.delete(pastKey(past));
        }
      }
      this.#withinBudget(clusterId);
    } finally {
      entry.following = undefined;
    }
  }

  /** Forgets graphs of earlier times, those first that nobody has asked about for the longest time. */
  #makeRoom(wanted: number): void {
    const oldestFirst = [...this.#past.values()];
    let size = wanted;
    for (const past of oldestFirst) size += past.size;
    for (const past of oldestFirst) {
      if (size <= this.#limits.maxPastSize) return;
      this.#past.delete(pastKey(past));
      size -= past.size;
    }
  }

  /** Puts away what nobody has asked about for the longest time, until the others have room. */
  #withinBudget(inUse: string): void {
    const sizeOf = ({ loaded }: Entry): number => loaded?.size ?? 0;
    let size = 0;
    for (const entry of this.#entries.values()) size += sizeOf(entry);
    const oldest = [...this.#entries].toSorted(([, one], [, other]) => one.usedAtMs - other.usedAtMs);
    for (const [clusterId, entry] of oldest) {
      if (size <= this.#limits.maxSize) return;
      if (clusterId === inUse || entry.loaded === undefined) continue;
      this.#entries.delete(clusterId);
      size -= sizeOf(entry);
    }
  }

  #sweep(): void {
    const { idleMs } = this.#limits;
    const nowMs = this.#clock.now();
    for (const [clusterId, { usedAtMs }] of this.#entries) {
      if (nowMs - usedAtMs >= idleMs) this.#entries.delete(clusterId);
    }
    this.#past.clear();
    const isIdle = this.#entries.size === 0;
    this.#stopSweeping = isIdle ? undefined : this.#clock.after(idleMs / 2, () => this.#sweep());
  }
}

function pastKey({ clusterId, asOfMs }: Pick<PastGraph, "clusterId" | "asOfMs">): string {
  return `${clusterId} ${asOfMs}`;
}
