import { hasCode } from "@bowline/core";
import type { ObjectFacts } from "@bowline/graph";

import { clearSome } from "./clear-cluster.ts";
import { moveCursor, readCursor, startOf, type ClusterCursor } from "./cluster-cursor.ts";
import type { GraphSource, SourceCluster } from "./graph-source.ts";
import type { Neo4jDatabase } from "./neo4j-database.ts";
import { writeBatch, type ObjectChange } from "./write-batch.ts";

export interface ClusterCopyOptions {
  readonly database: Neo4jDatabase;
  readonly source: GraphSource;
  readonly cluster: SourceCluster;
  /** Nodes and edges written at once, unless a single object says more. */
  readonly batchWeight?: number | undefined;
  /** Told of each batch that is written. */
  readonly onWritten?: ((objects: number) => void) | undefined;
}

/** Objects read at once. */
const pageObjects = 500;
const defaultBatchWeight = 20_000;

/** Brings the copy of one cluster up to date, a batch at a time. */
export class ClusterCopy {
  readonly #options: ClusterCopyOptions;
  /** As it was when it was last read or moved; undefined after a failure, when it may be otherwise. */
  #cursor: ClusterCursor | undefined;
  #known = false;

  constructor(options: ClusterCopyOptions) {
    this.#options = options;
  }

  /** How many changes are not in the copy yet. */
  lag(head: number): number {
    return this.#cursor?.state === "following" ? Math.max(0, head - this.#cursor.change) : head;
  }

  /** Writes the next batch; false when nothing was left to write. `head` is the number of the last change there is. */
  async step(head: number, signal: AbortSignal): Promise<boolean> {
    const { database, cluster } = this.#options;
    if (!this.#known) {
      this.#cursor = await database.transaction((run) => readCursor(run, cluster.name), signal);
      this.#known = true;
    }
    try {
      return await this.#next(this.#cursor, head, signal);
    } catch (error) {
      this.#known = false;
      throw error;
    }
  }

  async #next(cursor: ClusterCursor | undefined, head: number, signal: AbortSignal): Promise<boolean> {
    const { cluster } = this.#options;
    if (cursor === undefined) return this.#move(startOf(cluster, head), [], signal);
    if (cursor.state === "clearing") return this.#clear(cursor, head, signal);
    // A database that was restored has gone back behind what was copied from it.
    if (cursor.id !== cluster.id || cursor.change > head) return this.#startOver(cursor, signal);
    if (cursor.state === "loading") return this.#load(cursor, signal);
    return cursor.change < head && this.#follow(cursor, head, signal);
  }

  async #startOver(cursor: ClusterCursor, signal: AbortSignal): Promise<true> {
    return this.#move({ ...cursor, state: "clearing" }, [], signal);
  }

  async #clear(cursor: ClusterCursor, head: number, signal: AbortSignal): Promise<true> {
    const { database, cluster } = this.#options;
    let more = false;
    this.#cursor = await database.transaction(async (run) => {
      // One that has missed the end of it would remove what another has loaded since.
      const moved = await moveCursor(run, cluster.name, cursor, cursor);
      more = await clearSome(run, cluster.name);
      return moved;
    }, signal);
    return more || this.#move({ ...cursor, ...startOf(cluster, head) }, [], signal);
  }

  async #load(cursor: ClusterCursor, signal: AbortSignal): Promise<true> {
    const { source, cluster } = this.#options;
    const { items, next } = await source.current(cluster.id, cursor.place, pageObjects);
    const batches = this.#batchesOf(items.map((facts) => ({ uid: facts.uid, facts })));
    const last = batches.pop() ?? [];
    // A page has one place, behind its end: what is written before that is written again should this end here.
    for (const batch of batches) await this.#move(cursorOf(this.#cursor, cursor), batch, signal);
    const state = next === undefined ? "following" : "loading";
    return this.#move({ ...cursor, state, place: next }, last, signal);
  }

  async #follow(cursor: ClusterCursor, head: number, signal: AbortSignal): Promise<boolean> {
    const { source, cluster } = this.#options;
    const changes = await source.changes(cluster.id, cursor.change, pageObjects).catch((error: unknown) => {
      if (hasCode(error, "Expired")) return undefined;
      throw error;
    });
    if (changes === undefined) return this.#startOver(cursor, signal);
    if (changes.length === 0) {
      // Changes of something else than objects. Nothing is written for them.
      this.#cursor = { ...cursor, change: head };
      return false;
    }
    for (const batch of this.#batchesOf(changes)) {
      const { change } = batch.at(-1) ?? cursor;
      await this.#move({ ...cursor, change }, batch, signal);
    }
    return true;
  }

  /** Writes a batch and moves the cursor, both or neither. */
  async #move(
    next: Omit<ClusterCursor, "moves">,
    batch: readonly ObjectChange[],
    signal: AbortSignal,
  ): Promise<true> {
    const { database, source, cluster, onWritten } = this.#options;
    const facts = (uid: string): Promise<ObjectFacts | undefined> => source.facts(cluster.id, uid);
    this.#cursor = await database.transaction(async (run) => {
      const moved = await moveCursor(run, cluster.name, this.#cursor, next);
      if (batch.length > 0) await writeBatch({ run, cluster: cluster.name, facts }, batch);
      return moved;
    }, signal);
    if (batch.length > 0) onWritten?.(batch.length);
    return true;
  }

  /** Objects that say as much as one transaction should write. */
  #batchesOf<C extends ObjectChange>(changes: readonly C[]): C[][] {
    const { batchWeight = defaultBatchWeight } = this.#options;
    const batches: C[][] = [];
    let weight = batchWeight;
    for (const change of changes) {
      const { parts = [], edges = [] } = change.facts ?? {};
      weight += 1 + parts.length + edges.length;
      if (weight > batchWeight) {
        batches.push([]);
        weight = 1 + parts.length + edges.length;
      }
      batches.at(-1)?.push(change);
    }
    return batches;
  }
}

function cursorOf(current: ClusterCursor | undefined, before: ClusterCursor): ClusterCursor {
  return current ?? before;
}
